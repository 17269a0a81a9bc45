import { gatewayIdentity } from "../../api/runtime/gateway-identity.ts";
import type { Random } from "../../lib/random.ts";

/** By what this replica holds Leases. */
export class ReplicaIdentity {
  readonly #podName: string;
  readonly #random: Pick<Random, "bytes">;
  #current: string;

  constructor(podName: string, random: Pick<Random, "bytes">) {
    this.#podName = podName;
    this.#random = random;
    this.#current = this.#next();
  }

  get current(): string {
    return this.#current;
  }

  /** From now on this replica is another holder, so that nothing that it held before counts by its own Lease. */
  change(): void {
    this.#current = this.#next();
  }

  #next(): string {
    return gatewayIdentity(this.#podName, this.#random.bytes(4).toString("hex"));
  }
}
