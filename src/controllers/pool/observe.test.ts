import { expect, it } from "vitest";

import { warmSource } from "../../../test/support/warm-source.ts";
import { SandboxClass } from "../../api/v1alpha1/sandbox-class.ts";
import type { SandboxPool } from "../../api/v1alpha1/sandbox-pool.ts";
import { FakeClock } from "../../lib/fake-clock.ts";
import { observePool, type PoolObserverDeps } from "./observe.ts";

const pool = {
  metadata: { namespace: "shop", name: "warm", uid: "u" },
  spec: { sandboxClassName: "small", serviceAccountName: "runner", replicas: 2 },
} as SandboxPool;
const { spec } = SandboxClass.schema.parse({ spec: { maxWarmSandboxes: 5 } });
const small: SandboxClass = { metadata: { name: "small" }, spec };

/** What a pool is found to be made of while cache and API server have these classes, and what was read. */
async function made({ cached, stored }: { cached?: SandboxClass; stored?: SandboxClass | undefined }) {
  const reads: string[] = [];
  const find = (_resource: unknown, { name }: { name: string }): Promise<SandboxClass | undefined> => {
    reads.push(name);
    return Promise.resolve(stored);
  };
  const none = { get: () => undefined, list: () => [], byIndex: () => [] };
  const deps = {
    client: { find },
    clock: new FakeClock(),
    informers: {
      ...{ pods: none, gatewayLeases: none, sessions: none, prebuiltImages: none, sandboxPools: none },
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
  const facts = await observePool(deps, pool);
  return { places: facts.room.places, missing: "missing" in facts.made ? facts.made.missing.reason : undefined, reads };
}

it("what waits stays where the cache does not have its class yet", async () => {
  expect(await made({ stored: small })).toEqual({ places: 5, missing: undefined, reads: ["small"] });
});

it("nothing waits for a class that does not exist", async () => {
  expect(await made({})).toEqual({ places: 0, missing: "SandboxClassNotFound", reads: ["small"] });
});

it("a class that is cached is not read", async () => {
  expect(await made({ cached: small })).toEqual({ places: 5, missing: undefined, reads: [] });
});
