import { expect, it } from "vitest";
import { FakeClock } from "../../../lib/fake-clock.ts";
import { KubeError } from "../../../kube/errors.ts";
import { networkPolicies } from "../../../kube/core-resources.ts";
import { settle } from "../../../kube/fake-controller-world.ts";
import { keyText, type KubeObject, type ObjectKey } from "../../../lib/resource.ts";
import { tenantCollector, type TenantCollectorDeps } from "./controller.ts";

const creationTimestamp = "2026-05-04T09:00:00Z";

/** A cache that has these objects and is there. */
function cacheOf(objects: readonly KubeObject[] = []): object {
  return {
    resource: networkPolicies,
    list: () => objects,
    onChange: () => () => undefined,
    synced: () => Promise.resolve(),
  };
}

const answered = (status: number): KubeError =>
  new KubeError({ message: "no", status, reason: "Refused", delivery: "received" });
const unanswered = new KubeError({ message: "no", status: 0, reason: "Timeout", delivery: "lost" });
const others = ["second/runwright-sandbox", "third/runwright-sandbox"];

it.each([
  { who: "a policy of the cluster", error: answered(403), want: others },
  { who: "a webhook that is away", error: answered(500), want: others },
  { who: "an API server that is busy", error: answered(429), want: [] },
  { who: "an API server that is away", error: unanswered, want: [] },
])("where $who refuses a deletion in one namespace, $want go", async ({ error, want }) => {
  const policies = ["first", "second", "third"].map((namespace) => ({
    metadata: { name: "runwright-sandbox", namespace, uid: namespace, creationTimestamp },
  }));
  const deleted: string[] = [];
  const outcomes: string[] = [];
  const client = {
    withHooks: () => client,
    list: () => Promise.resolve({ items: [], resourceVersion: "1" }),
    delete: (_resource: unknown, key: ObjectKey) => {
      if (key.namespace === "first") return Promise.reject(error);
      deleted.push(keyText(key));
      return Promise.resolve(true);
    },
  };
  const none = cacheOf();
  const informers = {
    ...{ sessions: none, prebuiltImages: none, sandboxPools: none, sandboxClasses: none },
    ...{ policies: cacheOf(policies), accounts: none, roles: none, roleBindings: none },
  };
  const collector = tenantCollector({
    client,
    informers,
    namespaces: { forget: () => undefined },
    release: { name: "rw", namespace: "system" },
    clock: new FakeClock(),
    random: { fraction: () => 0 },
    metrics: { reconciled: (_: string, outcome: string) => void outcomes.push(outcome), queueWaited: () => undefined },
  } as unknown as TenantCollectorDeps);
  await collector.start();
  await settle();
  await collector.stop();
  expect(deleted).toEqual(want);
  // It is tried again.
  expect(outcomes).toEqual(["error"]);
});
