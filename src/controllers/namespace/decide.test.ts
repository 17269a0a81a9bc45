import { expect, it } from "vitest";
import { aPrebuiltImage, aSandboxClass, aSession } from "../../../test/support/builders.ts";
import type { SandboxPool } from "../../api/v1alpha1/sandbox-pool.ts";
import { decideNamespace } from "./decide.ts";
import type { NamespaceFacts } from "./facts.ts";

const createTime = "2026-05-04T10:00:00.000Z";
const sandbox = { attempt: 1, podName: "p", createTime };
const ended = { ...sandbox, endTime: createTime, endReason: "Completed" };
const deletionTimestamp = createTime;
const classes = [aSandboxClass("standard"), aSandboxClass("large")];
const nothing: NamespaceFacts = { sessions: [], images: [], pools: [], classes };

function aPool({ replicas = 0, members = 0, gone = false }): SandboxPool {
  return {
    metadata: { name: "warm", namespace: "shop", ...(gone && { deletionTimestamp }) },
    spec: { sandboxClassName: "standard", serviceAccountName: "runwright-sandbox", replicas },
    status: {
      members: Array.from({ length: members }, (_, index) => ({ number: index + 1, podName: "p", revision: "r" })),
    },
  };
}

function aBuild(status: object, more: object = {}): NamespaceFacts["images"][number] {
  const image = aPrebuiltImage("api", { metadata: more, status });
  return { ...image, spec: { ...image.spec, serviceAccountName: "runwright-sandbox" } };
}

const spec = { sandboxClassName: "standard", serviceAccountName: "runwright-sandbox" };
const live = aSession({ spec });

it.each<[string, Partial<NamespaceFacts>, boolean]>([
  ["a session without a sandbox", { sessions: [live] }, true],
  ["a build that is under way", { images: [aBuild({ sandbox })] }, true],
  ["a build that has ended", { images: [aBuild({ sandbox: ended })] }, false],
  ["an image without a build", { images: [aBuild({})] }, false],
  ["an image that is being deleted", { images: [aBuild({ sandbox }, { deletionTimestamp })] }, false],
  ["a pool that is to have sandboxes", { pools: [aPool({ replicas: 1 })] }, true],
  ["a pool that still has some", { pools: [aPool({ members: 1 })] }, true],
  ["an empty pool", { pools: [aPool({})] }, false],
  ["a pool that is being deleted", { pools: [aPool({ replicas: 1, gone: true })] }, false],
  ["nothing", {}, false],
])("of %s: whether the policies of its class and the account are kept", (_name, facts, isNeeded) => {
  const effects = decideNamespace({ ...nothing, ...facts });
  expect(effects).toEqual(
    isNeeded
      ? [
          { kind: "ensurePolicies", sandboxClass: classes[0] },
          { kind: "ensureAccount", defaultClass: undefined },
        ]
      : [],
  );
});
