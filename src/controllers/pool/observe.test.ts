import { describe, expect, it } from "vitest";

import { warmSource } from "../../../test/support/warm-source.ts";
import { labels } from "../../api/v1alpha1/names.ts";
import { SandboxClass } from "../../api/v1alpha1/sandbox-class.ts";
import type { SandboxPool } from "../../api/v1alpha1/sandbox-pool.ts";
import type { Pod } from "../../kube/core-resources.ts";
import { isConflict } from "../../kube/errors.ts";
import { FakeClock } from "../../lib/fake-clock.ts";
import { sandboxPodName } from "../sandbox/pod/names.ts";
import { observePool, type PoolObserverDeps } from "./observe.ts";

const pool = {
  metadata: { namespace: "shop", name: "warm", uid: "u" },
  spec: { sandboxClassName: "small", serviceAccountName: "runner", replicas: 2 },
} as SandboxPool;
const { spec } = SandboxClass.schema.parse({ spec: { maxWarmSandboxes: 5 } });
const small: SandboxClass = { metadata: { name: "small" }, spec };

function depsOf({ find, cached, pods = [] }: { find: unknown; cached?: SandboxClass | undefined; pods?: Pod[] }) {
  const none = { get: () => undefined, list: () => [], byIndex: () => [] };
  return {
    client: { find },
    clock: new FakeClock(),
    informers: {
      ...{ gatewayLeases: none, sessions: none, prebuiltImages: none, sandboxPools: none },
      pods: { ...none, byIndex: () => pods },
      sandboxClasses: { get: () => cached },
    },
    environment: warmSource.environment,
    caBundle: () => "pem",
    gatewayAddresses: () => Promise.resolve([]),
    hasUserNamespaces: () => false,
    places: { isAwaited: () => false, podKeys: () => new Set() },
    obstacleOf: () => undefined,
    policies: { namesFor: () => Promise.resolve([]) },
    verified: new Set(),
  } as unknown as PoolObserverDeps;
}

/** What a pool is found to be made of while cache and API server have these classes, and what was read. */
async function made({ cached, stored }: { cached?: SandboxClass; stored?: SandboxClass | undefined }) {
  const reads: string[] = [];
  const find = (_resource: unknown, { name }: { name: string }): Promise<SandboxClass | undefined> => {
    reads.push(name);
    return Promise.resolve(stored);
  };
  const facts = await observePool(depsOf({ find, cached }), pool);
  return { places: facts.room.places, missing: "missing" in facts.made ? facts.made.missing.reason : undefined, reads };
}

describe("a pod that the status does not name", () => {
  const ofPool = { apiVersion: "runwright.dev/v1alpha1", kind: "SandboxPool", name: "warm", uid: "u" };
  const name = sandboxPodName({ name: "warm", uid: "u" }, 3);
  const pod: Pod = {
    metadata: { namespace: "shop", name, labels: { [labels.attempt]: "3" }, ownerReferences: [ofPool] },
  };

  /** Looks at the pool while the API server has this version of it; gives how many pods go, and what was read. */
  async function look(liveVersion: string | undefined, metadata: Partial<Pod["metadata"]> = {}) {
    const live = liveVersion === undefined ? undefined : { metadata: { resourceVersion: liveVersion } };
    const reads: unknown[] = [];
    const find = (resource: { kind: string }): Promise<object | undefined> => {
      reads.push(resource.kind);
      return Promise.resolve(live);
    };
    const cached = { ...pod, metadata: { ...pod.metadata, ...metadata } };
    const deps = depsOf({ find, pods: [cached], cached: small });
    const going = await observePool(deps, { ...pool, metadata: { ...pool.metadata, resourceVersion: "1" } }).then(
      ({ unnamed }) => unnamed.length,
      (error: unknown) => (isConflict(error) ? "conflict" : error),
    );
    return { going, reads };
  }

  it("stays where the cache is behind the status that names it", async () => {
    expect(await look("2")).toEqual({ going: "conflict", reads: ["SandboxPool"] });
  });

  it("goes where the API server does not name it either, or has no such pool", async () => {
    expect(await look("1")).toEqual({ going: 1, reads: ["SandboxPool"] });
    expect(await look(undefined)).toEqual({ going: 1, reads: ["SandboxPool"] });
  });

  it("costs no read while it goes", async () => {
    expect(await look("2", { deletionTimestamp: "2026-05-04T10:15:00Z" })).toEqual({ going: 1, reads: [] });
  });
});

it("what waits stays where the cache does not have its class yet", async () => {
  expect(await made({ stored: small })).toEqual({ places: 5, missing: undefined, reads: ["small"] });
});

it("nothing waits for a class that does not exist", async () => {
  expect(await made({})).toEqual({ places: 0, missing: "SandboxClassNotFound", reads: ["small"] });
});

it("a class that is cached is not read", async () => {
  expect(await made({ cached: small })).toEqual({ places: 5, missing: undefined, reads: [] });
});
