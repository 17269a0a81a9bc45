import type { SandboxClass } from "../../../api/v1alpha1/sandbox-class.ts";
import type { Clock } from "../../../lib/clock.ts";
import { networkPolicies, serviceAccounts } from "../../../kube/core-resources.ts";
import { ensureObject, type EnsureClient } from "./ensure.ts";
import type { Release } from "../labels.ts";
import type { ClusterNetwork } from "../network/cluster-network.ts";
import { makeBasePolicy, makeClassPolicy } from "../network/network-policy.ts";
import { makeSandboxAccount, roleBindings, roles } from "./service-account.ts";

export interface TenantNamespacesDeps {
  client: EnsureClient;
  clock: Clock;
  release: Release;
  /** Port of the gateway's pods that runtimes connect to. */
  gatewayPort: number;
  network: Pick<ClusterNetwork, "known">;
}

/** API servers learn of Roles and bindings by a watch; they have after this long even under load. */
const inForceMs = 10_000;

/**
 * Keeps what a tenant namespace must hold before a sandbox may run in it: policies, and the account of sessions that
 * name none. It remembers what it found in order, so that a start in a known namespace costs no request; the
 * controller that watches those objects calls {@link forget} when one changes.
 */
export class TenantNamespaces {
  readonly #deps: TenantNamespacesDeps;
  readonly #inOrder = new Map<string, Set<string>>();
  readonly #changedMs = new Map<string, number>();

  constructor(deps: TenantNamespacesDeps) {
    this.#deps = deps;
  }

  /** Brings the namespace's policies for one class up to date. */
  async ensurePolicies(namespace: string, sandboxClass: SandboxClass): Promise<void> {
    const { client, release, gatewayPort, network } = this.#deps;
    const { ranges } = network.known;
    const className = sandboxClass.metadata.name ?? "";
    const { uid = "", generation = 0 } = sandboxClass.metadata;
    await this.#once(namespace, `policies of ${className} ${uid} ${generation} without ${ranges.join()}`, async () => {
      // DNS was once part of the base policy: sandboxes that run must not lose it in between.
      await ensureObject(client, networkPolicies, makeClassPolicy(namespace, release, sandboxClass, ranges));
      await ensureObject(client, networkPolicies, makeBasePolicy(namespace, release, gatewayPort));
    });
  }

  /** Brings the account of sessions that name none up to date. */
  async ensureAccount(namespace: string, defaultClass: SandboxClass | undefined): Promise<void> {
    const { client, release } = this.#deps;
    const { account, role, binding } = makeSandboxAccount(namespace, release, defaultClass?.metadata.name);
    await this.#once(namespace, accountFor(defaultClass), async () => {
      const changes = [
        await ensureObject(client, serviceAccounts, account),
        await ensureObject(client, roles, role),
        await ensureObject(client, roleBindings, binding),
      ];
      if (changes.includes(true)) this.#changedMs.set(namespace, this.#deps.clock.monotonicMs());
    });
  }

  /** Whether that account was found in order, or brought to it, by this process. */
  isAccountInOrder(namespace: string, defaultClass: SandboxClass | undefined): boolean {
    return this.#inOrder.get(namespace)?.has(accountFor(defaultClass)) ?? false;
  }

  /** The account's rights changed so recently that the API server may not have taken notice yet. */
  hasJustChanged(namespace: string): boolean {
    const changedMs = this.#changedMs.get(namespace);
    return changedMs !== undefined && this.#deps.clock.monotonicMs() - changedMs < inForceMs;
  }

  /** Has everything of a namespace looked at again. */
  forget(namespace: string): void {
    this.#inOrder.delete(namespace);
  }

  async #once(namespace: string, what: string, ensure: () => Promise<void>): Promise<void> {
    if (this.#inOrder.get(namespace)?.has(what)) return;
    // The set is stored before the work: a {@link forget} meanwhile drops it, and what is found in order is not kept.
    const known = this.#inOrder.get(namespace) ?? new Set();
    this.#inOrder.set(namespace, known);
    await ensure();
    known.add(what);
  }
}

function accountFor(defaultClass: SandboxClass | undefined): string {
  return `account for ${defaultClass?.metadata.name ?? "no class"}`;
}
