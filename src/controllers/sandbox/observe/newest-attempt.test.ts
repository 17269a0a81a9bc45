import { expect, it } from "vitest";

import { aSession } from "../../../../test/support/builders.ts";
import { labels, type Session } from "../../../api/v1alpha1/index.ts";
import type { KubeClient } from "../../../kube/client.ts";
import { isConflict } from "../../../kube/errors.ts";
import type { ObjectMeta } from "../../../lib/resource.ts";
import { type AttemptObserverDeps, observeAttempt } from "../observe.ts";
import { sessionAsOwner } from "../owner.ts";
import { sandboxPodName } from "../pod/names.ts";
import { mayCreateFor } from "../start/standing.ts";

const uid = "u1";

/** A session whose status names an attempt that has ended; 0: none. */
function sessionAt(attempt: number, session = uid): Session {
  const sandbox = { attempt, podName: "p", podUID: `pod-${attempt}`, createTime: "", endTime: "2026-05-04T10:15:00Z" };
  const status = attempt === 0 ? {} : { sandbox };
  return aSession({ metadata: { namespace: "team", name: "fix", uid: session }, status });
}

function ofAttempt(attempt: number, metadata: Partial<ObjectMeta> = {}): { metadata: ObjectMeta } {
  return {
    metadata: {
      namespace: "team",
      name: sandboxPodName({ name: "fix", uid }, attempt),
      uid: `pod-${attempt}`,
      labels: { [labels.attempt]: String(attempt) },
      ownerReferences: [{ apiVersion: "runwright.dev/v1alpha1", kind: "Session", name: "fix", uid }],
      ...metadata,
    },
  };
}

const handedOver = ofAttempt(2, {
  name: "warm-7",
  labels: { [labels.attempt]: "2", [labels.claimedFrom]: "warm" },
});

interface World {
  cached: Session;
  live?: Session;
  pods?: readonly object[];
  secrets?: readonly object[];
}

/** What comes of a look at the session's attempts, and how often the session was read. */
async function look({ cached, live, pods = [], secrets = [] }: World) {
  let reads = 0;
  const find = (): Promise<Session | undefined> => {
    reads += 1;
    return Promise.resolve(live);
  };
  const deps = {
    client: { find },
    clock: { now: () => new Date(0) },
    gateways: { reachableMs: () => Infinity, outage: () => undefined },
    informers: { pods: { byIndex: () => pods }, secrets: { byIndex: () => secrets } },
  } as unknown as AttemptObserverDeps;
  const outcome = await observeAttempt(deps, sessionAsOwner(cached), undefined).then(
    (facts) => facts.pods.length + (facts.strays?.length ?? 0) + facts.secrets.length,
    (error: unknown) => (isConflict(error) ? "conflict" : error),
  );
  return { outcome, reads };
}

it.each<{ name: string; world: Omit<World, "cached"> }>([
  { name: "its pod", world: { pods: [ofAttempt(2)] } },
  { name: "its pod that was handed over", world: { pods: [handedOver] } },
  { name: "its bundle", world: { secrets: [ofAttempt(2)] } },
])("$name is no leftover where the cache is behind the status that names the attempt", async ({ world }) => {
  expect(await look({ cached: sessionAt(1), live: sessionAt(2), ...world })).toEqual({ outcome: "conflict", reads: 1 });
  expect(await look({ cached: sessionAt(0), live: sessionAt(2), ...world })).toEqual({ outcome: "conflict", reads: 1 });
});

it.each<{ name: string; live: Session | undefined }>([
  { name: "names no later attempt either", live: sessionAt(1) },
  { name: "is another session's of the name", live: sessionAt(2, "later") },
  { name: "is gone", live: undefined },
])("what the status does not name is a leftover where the one that was read $name", async ({ live }) => {
  const world = { cached: sessionAt(1), ...(live && { live }), pods: [ofAttempt(2)] };
  expect(await look(world)).toEqual({ outcome: 1, reads: 1 });
});

it("nothing is read for what the status names", async () => {
  const cached = sessionAt(2);
  const world = { cached, live: sessionAt(3), pods: [ofAttempt(1), ofAttempt(2)], secrets: [ofAttempt(2)] };
  expect(await look(world)).toEqual({ outcome: 3, reads: 0 });
});

it("no attempt is started again that the cache does not show yet", async () => {
  const owner = sessionAsOwner(sessionAt(1));
  const clientWith = (live: Session): Pick<KubeClient, "find"> => ({
    find: (() => Promise.resolve(live)) as unknown as KubeClient["find"],
  });
  expect(await mayCreateFor(clientWith(sessionAt(1)), owner)).toBe(true);
  await expect(mayCreateFor(clientWith(sessionAt(2)), owner)).rejects.toSatisfy(isConflict);
});
