import { gatewaySilenceMs, heartbeatLimitMs } from "../../../domain/clocks/limits.ts";
import type { Change } from "../../../kube/cache.ts";
import type { Lease } from "../../../kube/core-resources.ts";
import type { Clock } from "../../../lib/clock.ts";
import type { GatewayOutage } from "../facts.ts";

/**
 * Since when sandboxes can have reached a gateway, by this process's own monotonic clock: from the begin of its
 * leadership, and anew from the return of gateways of which none had renewed its own Lease for a while. An outage of the
 * API server looks the same, since no renewal is stored or seen meanwhile.
 */
export class GatewayPresence {
  readonly #clock: Pick<Clock, "monotonicMs" | "now">;
  readonly #renewals = new Map<string, string | undefined>();
  /** By holder: when its Lease was last seen to be renewed. Holders that are gone stay known for a while. */
  readonly #heardOf = new Map<string, number>();
  #heardMs = 0;
  #sinceMs = 0;
  #lastOutage: GatewayOutage | undefined;

  constructor(clock: Pick<Clock, "monotonicMs" | "now">) {
    this.#clock = clock;
  }

  /** Called when this process begins to judge: what it saw as a follower counts for nothing. */
  begin(): void {
    this.#heardMs = this.#clock.monotonicMs();
    this.#sinceMs = this.#heardMs;
  }

  /** A change of a gateway replica's own Lease; returns whether it ended a silence of all of them. */
  changed({ type, object }: Change<Lease>): boolean {
    const name = object.metadata.name ?? "";
    const renewTime = object.spec?.renewTime;
    if (type === "deleted") {
      this.#renewals.delete(name);
      return false;
    }
    if (this.#renewals.get(name) === renewTime) return false;
    this.#renewals.set(name, renewTime);
    const isBack = this.isSilent();
    if (isBack) this.#lastOutage = { ...this.#silence(), untilMs: this.#clock.now().getTime() };
    this.#heardMs = this.#clock.monotonicMs();
    this.#heardFrom(object.spec?.holderIdentity ?? "");
    if (isBack) this.#sinceMs = this.#heardMs;
    return isBack;
  }

  /** When the Lease of this holder was last seen to be renewed, by the monotonic clock; undefined: longer ago than matters. */
  heardOfMs(holder: string): number | undefined {
    return this.#heardOf.get(holder);
  }

  /** Whether no gateway has shown itself for so long that silence of sandboxes says nothing about them. */
  isSilent(): boolean {
    return this.#clock.monotonicMs() - this.#heardMs > gatewaySilenceMs;
  }

  /** For how many milliseconds there has been a gateway without a break; 0 while there is none. */
  reachableMs(): number {
    return this.isSilent() ? 0 : this.#clock.monotonicMs() - this.#sinceMs;
  }

  /** The outage of all gateways that goes on, or the last one that this process saw the end of. */
  outage(): GatewayOutage | undefined {
    return this.isSilent() ? this.#silence() : this.#lastOutage;
  }

  /** By the wall clock of now, so that it is as long as it was although that clock was set meanwhile. */
  #silence(): GatewayOutage {
    return { fromMs: this.#clock.now().getTime() - Math.round(this.#clock.monotonicMs() - this.#heardMs) };
  }

  #heardFrom(holder: string): void {
    const nowMs = this.#clock.monotonicMs();
    for (const [other, atMs] of this.#heardOf) if (nowMs - atMs > heartbeatLimitMs) this.#heardOf.delete(other);
    this.#heardOf.set(holder, nowMs);
  }
}
