import type { SandboxPool } from "../../api/v1alpha1/sandbox-pool.ts";
import type { KubeClient } from "../../kube/client.ts";
import type { Clock } from "../../lib/clock.ts";
import { keyOf, keyText } from "../../lib/resource.ts";
import { foreignPolicies } from "../sandbox/network/foreign-policies.ts";
import { readPolicies } from "../sandbox/observe/network-policies.ts";
import { makeWarmPod, type WarmSource } from "../sandbox/pool/revision.ts";

/** How long the policies of a namespace count as read, in milliseconds: pools are looked at every few seconds. */
const countsMs = 600_000;

interface Deps {
  client: Pick<KubeClient, "list">;
  clock: Pick<Clock, "monotonicMs">;
}

/** Names of other people's NetworkPolicies that select what waits in pools. What this knows is lost with the process. */
export class PolicyLooks {
  readonly #deps: Deps;
  /** By the pool's key. */
  readonly #known = new Map<string, { names: readonly string[] | undefined; untilMs: number }>();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** As they were read in the last 10 minutes; undefined where they could never be read. */
  async namesFor(pool: SandboxPool, source: WarmSource): Promise<readonly string[] | undefined> {
    const { client, clock } = this.#deps;
    const key = keyText(keyOf(pool));
    const known = this.#known.get(key);
    const nowMs = clock.monotonicMs();
    if (known && nowMs < known.untilMs) return known.names;
    const policies = await readPolicies(client, pool.metadata.namespace);
    const names = policies ? foreignPolicies(policies, makeWarmPod(pool, 0, source)) : known?.names;
    this.#known.set(key, { names, untilMs: nowMs + countsMs });
    return names;
  }

  /** The pool is gone. */
  forget(pool: string): void {
    this.#known.delete(pool);
  }
}
