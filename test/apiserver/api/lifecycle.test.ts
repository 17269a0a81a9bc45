import { execFile } from "node:child_process";
import { isDeepStrictEqual, promisify } from "node:util";

import { beforeAll, describe, expect, it } from "vitest";

import {
  Automation,
  DeliveryLog,
  Environment,
  kinds,
  PrebuiltImage,
  Prompt,
  Repository,
  Run,
  SandboxClass,
  Session,
  type Kind,
} from "../../../src/api/v1alpha1/index.ts";
import { readFixtures } from "../../fixtures/objects/fixtures.ts";
import { makeNamespace, testApi, testCluster } from "../../support/cluster.ts";
import { until } from "../../support/kube.ts";
import { create, patch, type StoredObject } from "./objects.ts";

const time = "2026-05-04T10:15:00Z";

let namespace: string;
beforeAll(async () => {
  namespace = await makeNamespace("lifecycle");
});

function condition(type: string, status: string, reason: string, message = ""): object {
  return { type, status, reason, message, lastTransitionTime: time };
}

const leasts: [Kind, Record<string, unknown>][] = [
  [Automation, { instructions: "do", trigger: { type: "Webhook", webhook: {} }, serviceAccountName: "runner" }],
  [Environment, { repositoryRefs: [{ name: "shop" }] }],
  [Prompt, { sessionRef: { name: "s" }, text: "do" }],
  [Repository, { url: "https://git.example.com/shop.git" }],
  [Run, { automationRef: { name: "a" }, trigger: { type: "Manual" } }],
  [SandboxClass, {}],
  [Session, {}],
];

describe.each(leasts)("the least $kind", (kind, spec) => {
  it("is stored with the defaults that our parser gives, and the status that awaits a controller", async () => {
    const stored = await create(kind, namespace, { metadata: { name: `least-${namespace}` }, spec });
    expect(stored.spec).toEqual(kind.schema.parse({ spec }).spec);
    expect(stored.status).toEqual({ observedGeneration: -1 });
  });
});

it.each([
  { type: "Webhook", of: "webhook", least: {} },
  { type: "ErrorTracker", of: "errorTracker", least: { events: ["IssueCreated"] } },
])("an Automation of type $type has the limits that the docs say, where it says none", async ({ type, of, least }) => {
  const spec = { instructions: "do", trigger: { type, [of]: least }, serviceAccountName: "runner" };
  const stored = await create(Automation, namespace, { metadata: { name: `limits-${type.toLowerCase()}` }, spec });
  expect(stored.spec).toMatchObject({
    trigger: {
      [of]: {
        requestRateLimit: { perSecond: 50, burst: 500 },
        rateLimit: { perSecond: 5, burst: 50 },
        maxUnfinishedRuns: 100,
      },
    },
    history: { successfulLimit: 50, failedLimit: 50, skippedLimit: 20 },
  });
});

it("the least DeliveryLog is stored as it is, without a status: no controller has to look at a record", async () => {
  const stored = await create(DeliveryLog, namespace, { metadata: { name: `least-${namespace}` }, spec: {} });
  expect(stored.spec).toEqual({});
  expect(stored.status).toBeUndefined();
});

describe.each([
  ["on the client's side", "client", []],
  ["on the server's side", "server", ["--server-side"]],
])("kubectl apply %s", (_, side, flags) => {
  const accepted = readFixtures().filter(({ refused }) => refused === undefined);

  it.each(kinds.map(({ kind }) => kind))("changes nothing when it is repeated: %s", async (kind) => {
    const manifests = accepted
      .filter((fixture) => fixture.kind === kind)
      .map(({ object }, index) => JSON.stringify({ ...object, metadata: { name: `${side}-${namespace}-${index}` } }))
      // Sessions of tests beside this one would get a default class.
      .map((manifest) => manifest.replace('"default":true', '"default":false'));
    const created = await apply(manifests, flags);
    // The API server stores the default of a status with the first write after the creation; server-side apply is one.
    let last = side === "server" ? await apply(manifests, flags) : created;
    expect(created).toHaveLength(manifests.length);
    // Controllers of tests beside this one may write the status of a class in between, once. What apply itself changes, it changes each time.
    await until("an apply changes nothing", async () => {
      const before = last;
      last = await apply(manifests, flags);
      return isDeepStrictEqual(versions(last), versions(before));
    });
    expect(last.map(({ metadata }) => metadata.generation)).toEqual(created.map(() => 1));
  });
});

function versions(objects: readonly StoredObject[]): string[] {
  return objects.map(({ metadata }) => metadata.resourceVersion);
}

async function apply(manifests: readonly string[], flags: readonly string[]): Promise<StoredObject[]> {
  const { kubeconfig, kubectl } = testCluster();
  const run = promisify(execFile)(
    kubectl,
    ["--kubeconfig", kubeconfig, "--namespace", namespace, "apply", ...flags, "-o", "json", "-f", "-"],
    { maxBuffer: 64 * 1024 * 1024 },
  );
  run.child.stdin?.end(manifests.join("\n"));
  const answer = JSON.parse((await run).stdout) as StoredObject | { items: StoredObject[] };
  return "items" in answer ? answer.items : [answer];
}

describe("what cannot change", () => {
  it("is an Automation's trigger type", async () => {
    await create(Automation, namespace, {
      metadata: { name: "typed" },
      spec: { instructions: "do", trigger: { type: "Webhook" }, serviceAccountName: "runner" },
    });
    await expect(patch(Automation, namespace, "typed", { spec: { trigger: { type: "Manual" } } })).rejects.toThrow(
      /spec\.trigger\.type: Invalid value: type cannot change; create another Automation/,
    );
    await patch(Automation, namespace, "typed", { spec: { instructions: "do more", suspend: true } });
  });

  it("is a Session's target", async () => {
    await create(Session, namespace, {
      metadata: { name: "aimed" },
      spec: { target: { environmentRef: { name: "a" } } },
    });
    await expect(
      patch(Session, namespace, "aimed", { spec: { target: { environmentRef: { name: "b" } } } }),
    ).rejects.toThrow(/spec\.target: Invalid value: target cannot change; create another Session/);
    await patch(Session, namespace, "aimed", { spec: { title: "renamed" } });
  });

  it("is what a PrebuiltImage is of", async () => {
    const spec = { repositoryRef: { name: "a" }, sandboxClassName: "standard" };
    await create(PrebuiltImage, namespace, { metadata: { name: "of-a" }, spec });
    const refusal = /repositoryRef and environmentRef cannot change; create another PrebuiltImage/;
    for (const changed of [{ repositoryRef: { name: "b" } }, { repositoryRef: null, environmentRef: { name: "a" } }]) {
      await expect(patch(PrebuiltImage, namespace, "of-a", { spec: changed })).rejects.toThrow(refusal);
    }
    await patch(PrebuiltImage, namespace, "of-a", { spec: { suspend: true, sandboxClassName: "large" } });
  });

  it("is a Prompt", async () => {
    await create(Prompt, namespace, { metadata: { name: "said" }, spec: { sessionRef: { name: "s" }, text: "do" } });
    const refusal = /spec: Invalid value: sessionRef, text, images and origin cannot change; create another Prompt/;
    await expect(patch(Prompt, namespace, "said", { spec: { text: "do not" } })).rejects.toThrow(refusal);
    await expect(patch(Prompt, namespace, "said", { spec: { sessionRef: { name: "t" } } })).rejects.toThrow(refusal);
    const images = [{ digest: `sha256:${"0".repeat(64)}`, mediaType: "image/png" }];
    await expect(patch(Prompt, namespace, "said", { spec: { images } })).rejects.toThrow(refusal);
    await create(Prompt, namespace, {
      metadata: { name: "shown" },
      spec: { sessionRef: { name: "s" }, text: "do", images },
    });
    for (const other of [null, [{ ...images[0], mediaType: "image/gif" }]]) {
      await expect(patch(Prompt, namespace, "shown", { spec: { images: other } })).rejects.toThrow(refusal);
    }
  });

  it("is a Prompt's cancellation", async () => {
    await create(Prompt, namespace, { metadata: { name: "ended" }, spec: { sessionRef: { name: "s" }, text: "do" } });
    await patch(Prompt, namespace, "ended", { spec: { cancel: false } });
    await patch(Prompt, namespace, "ended", { spec: { cancel: true } });
    const refusal = /spec\.cancel: Invalid value: cancel cannot be undone; create another Prompt/;
    for (const cancel of [false, null]) {
      await expect(patch(Prompt, namespace, "ended", { spec: { cancel } })).rejects.toThrow(refusal);
    }
  });
});

describe("a Run's spec", () => {
  const trigger = { type: "Webhook", time, deliveryID: "d", idempotencyKey: "k", payload: "{}" };
  const refusal =
    /spec: Invalid value: spec cannot change; only trigger\.payload and trigger\.idempotencyKey may be removed/;

  beforeAll(async () => {
    const automationRef = { name: "a", uid: "u", generation: 1 };
    await create(Run, namespace, { metadata: { name: "fired" }, spec: { automationRef, trigger } });
    await create(Run, namespace, {
      metadata: { name: "bare" },
      spec: { automationRef: { name: "a" }, trigger: { type: "Webhook" } },
    });
  });

  it.each([
    ["another payload", { trigger: { payload: "[]" } }],
    ["an empty payload", { trigger: { payload: "" } }],
    ["another key", { trigger: { idempotencyKey: "l" } }],
    ["another delivery", { trigger: { deliveryID: "e" } }],
    ["no delivery", { trigger: { deliveryID: null } }],
    ["another time", { trigger: { time: "2026-05-04T10:15:01Z" } }],
    ["no time", { trigger: { time: null } }],
    ["another automation", { automationRef: { name: "b" } }],
    ["no automation UID", { automationRef: { uid: null } }],
    ["another trigger", { trigger: { type: "Manual", payload: null, idempotencyKey: null, deliveryID: null } }],
  ])("refuses %s", async (_, spec) => {
    await expect(patch(Run, namespace, "fired", { spec })).rejects.toThrow(refusal);
  });

  it.each([
    ["a payload", { trigger: { payload: "{}" } }],
    ["a key", { trigger: { idempotencyKey: "k" } }],
    ["a time", { trigger: { time } }],
    ["a delivery", { trigger: { deliveryID: "d" } }],
  ])("refuses %s where there was none", async (_, spec) => {
    await expect(patch(Run, namespace, "bare", { spec })).rejects.toThrow(refusal);
  });

  it.each([
    ["another firing", "2026-05-04T10:15:01Z"],
    ["no firing", null],
  ])("refuses %s of a slot that was missed", async (_, firedTime) => {
    const name = `late-${firedTime === null ? "none" : "other"}`;
    const spec = { automationRef: { name: "a" }, trigger: { type: "Schedule", time, firedTime: time } };
    await create(Run, namespace, { metadata: { name }, spec });
    await expect(patch(Run, namespace, name, { spec: { trigger: { firedTime } } })).rejects.toThrow(refusal);
  });

  it("lets the payload be removed, then the key, and neither come back", async () => {
    const emptied = await patch(Run, namespace, "fired", { spec: { trigger: { payload: null } } });
    expect(emptied.spec.trigger).toEqual({ type: "Webhook", time, deliveryID: "d", idempotencyKey: "k" });
    await patch(Run, namespace, "fired", { spec: { trigger: { idempotencyKey: null } } });
    await expect(patch(Run, namespace, "fired", { spec: { trigger: { payload: "{}" } } })).rejects.toThrow(refusal);
  });
});

describe.each([
  [Run, { automationRef: { name: "a" }, trigger: { type: "Manual" } }],
  [Prompt, { sessionRef: { name: "s" }, text: "do" }],
] as [Kind, object][])("a settled Succeeded condition of a $kind", (kind, spec) => {
  const refusal = /status: Invalid value: a settled Succeeded condition cannot change/;
  const succeeded = (status: string, reason: string, message = ""): object => ({
    status: {
      conditions: [condition("Succeeded", status, reason, message), condition("Reconciling", "True", "Working")],
    },
  });

  it("is reached from Unknown and stays", async () => {
    await create(kind, namespace, { metadata: { name: "settling" }, spec });
    await patch(kind, namespace, "settling", succeeded("Unknown", "Pending"));
    await patch(kind, namespace, "settling", succeeded("Unknown", "Running"));
    await patch(kind, namespace, "settling", succeeded("False", "ConnectTimeout"));

    await expect(patch(kind, namespace, "settling", succeeded("True", "Completed"))).rejects.toThrow(refusal);
    await expect(patch(kind, namespace, "settling", succeeded("Unknown", "Running"))).rejects.toThrow(refusal);
    await expect(patch(kind, namespace, "settling", succeeded("False", "Failed"))).rejects.toThrow(refusal);
    await expect(patch(kind, namespace, "settling", { status: { conditions: [] } })).rejects.toThrow(refusal);
    await expect(patch(kind, namespace, "settling", { status: { conditions: null } })).rejects.toThrow(refusal);
    await expect(patch(kind, namespace, "settling", { status: null })).rejects.toThrow(refusal);
  });

  it("lets its message and everything else change", async () => {
    await create(kind, namespace, { metadata: { name: "noted" }, spec });
    await patch(kind, namespace, "noted", succeeded("False", "ExecutionTimeout"));
    await patch(kind, namespace, "noted", succeeded("False", "ExecutionTimeout", "after 2 h"));
    const conditions = [condition("Succeeded", "False", "ExecutionTimeout", "after 2 h")];
    const noted = await patch(kind, namespace, "noted", { status: { conditions, completionTime: time } });
    expect(noted.status).toMatchObject({ completionTime: time });
  });
});

describe("a status", () => {
  it("is not taken over when an object is created", async () => {
    const stored = await create(Run, namespace, {
      metadata: { name: "hopeful" },
      spec: { automationRef: { name: "a" }, trigger: { type: "Manual" } },
      status: { conditions: [condition("Succeeded", "True", "Completed")] },
    });
    expect(stored.status).toEqual({ observedGeneration: -1 });
  });

  it("is not changed by a change of the spec, nor the other way round", async () => {
    await create(Repository, namespace, { metadata: { name: "apart" }, spec: { url: "https://git.example.com/a" } });
    const path = `/apis/runwright.dev/v1alpha1/namespaces/${namespace}/repositories/apart`;
    const spec = { url: "https://git.example.com/b" };
    await testApi().send("PATCH", path, { spec, status: { observedGeneration: 9 } });
    const { body } = await testApi().send("PATCH", `${path}/status`, { spec: { url: "https://c.example.com/" } });
    expect(body).toMatchObject({ spec, metadata: { generation: 2 }, status: { observedGeneration: -1 } });
  });

  it("holds 12 conditions, and not 13", async () => {
    await create(Repository, namespace, { metadata: { name: "judged" }, spec: { url: "https://git.example.com/a" } });
    const conditions = Array.from({ length: 13 }, (_, index) => condition(`Type${index}`, "True", "Fine"));
    await patch(Repository, namespace, "judged", { status: { conditions: conditions.slice(1) } });
    await expect(patch(Repository, namespace, "judged", { status: { conditions } })).rejects.toThrow(
      /status\.conditions: Too many: 13: must have at most 12 items/,
    );
  });

  it("holds each condition type once", async () => {
    await create(Repository, namespace, { metadata: { name: "doubled" }, spec: { url: "https://git.example.com/a" } });
    const conditions = [condition("Ready", "True", "Fine"), condition("Ready", "False", "NotFine")];
    await expect(patch(Repository, namespace, "doubled", { status: { conditions } })).rejects.toThrow(
      /status\.conditions\[1\]: Duplicate value/,
    );
  });
});
