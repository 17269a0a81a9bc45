import { gatewaySilenceMs, heartbeatLimitMs } from "../../../domain/clocks/limits.ts";
import type { Change } from "../../../kube/cache.ts";
import type { Lease } from "../../../kube/core-resources.ts";
import type { Clock } from "../../../lib/clock.ts";
import type { GatewayOutage } from "../facts.ts";

/** What a renewal tells that changes more than its own gateway's time: one is back after none was there, or is seen for the first time. */
export type GatewayNews = "back" | "seen";

/**
 * Since when sandboxes can have reached a gateway, by this process's own monotonic clock: from the begin of its
 * leadership, and anew from the return of gateways of which none had renewed its own Lease for a while. An outage of the
 * API server looks the same, since no renewal is stored or seen meanwhile.
 *
 * It listens as a follower, too, and so knows since when there is none. That there is one it believes only from the first
 * renewal that it sees once it has begun ([ADR 0170](../../../../docs/adr/0170-a-new-leader-waits-for-a-gateway.md)).
 */
export class GatewayPresence {
  readonly #clock: Pick<Clock, "monotonicMs" | "now">;
  readonly #renewals = new Map<string, string | undefined>();
  /** By holder: when its Lease was last seen to be renewed. Holders that are gone stay known for a while. */
  readonly #heardOf = new Map<string, number>();
  #hasBegun = false;
  /** Whether a renewal was seen since this process began to judge. */
  #isSeen = false;
  /** When any Lease was last seen to be renewed; before that when this process began to judge. */
  #heardMs: number | undefined;
  #sinceMs = 0;
  #lastOutage: GatewayOutage | undefined;

  constructor(clock: Pick<Clock, "monotonicMs" | "now">) {
    this.#clock = clock;
  }

  /** Called when this process begins to judge, after the Leases were listed: what a list brings may be of any time. */
  begin(): void {
    this.#sinceMs = this.#clock.monotonicMs();
    this.#heardMs ??= this.#sinceMs;
    this.#hasBegun = true;
    this.#isSeen = false;
  }

  /** A change of a gateway replica's own Lease; returns what follows from it for others, before it has begun nothing. */
  changed({ type, object }: Change<Lease>): GatewayNews | undefined {
    const name = object.metadata.name ?? "";
    const renewTime = object.spec?.renewTime;
    if (type === "deleted") {
      this.#renewals.delete(name);
      return undefined;
    }
    if (this.#renewals.get(name) === renewTime) return undefined;
    this.#renewals.set(name, renewTime);
    const news = this.#newsOfRenewal();
    if (news === "back") this.#lastOutage = { ...this.#silence(), untilMs: this.#clock.now().getTime() };
    this.#heardMs = this.#clock.monotonicMs();
    this.#heardFrom(object.spec?.holderIdentity ?? "");
    if (news === "back") this.#sinceMs = this.#heardMs;
    this.#isSeen = this.#hasBegun;
    return news;
  }

  /** When the Lease of this holder was last seen to be renewed, by the monotonic clock; undefined: longer ago than matters. */
  heardOfMs(holder: string): number | undefined {
    return this.#heardOf.get(holder);
  }

  /** Whether no gateway has shown itself for so long, or since the begin, that silence of sandboxes says nothing about them. */
  isSilent(): boolean {
    return !this.#isSeen || this.#isAway();
  }

  /** For how many milliseconds there has been a gateway without a break; 0 while there is none. */
  reachableMs(): number {
    return this.#isAway() ? 0 : this.#clock.monotonicMs() - this.#sinceMs;
  }

  /** The outage of all gateways that goes on, or is assumed, or the last one that this process saw the end of. */
  outage(): GatewayOutage | undefined {
    if (this.#isAway()) return this.#silence();
    return this.#isSeen ? this.#lastOutage : { ...this.#silence(), isAssumed: true };
  }

  #newsOfRenewal(): GatewayNews | undefined {
    if (!this.#hasBegun) return undefined;
    if (this.#isAway()) return "back";
    return this.#isSeen ? undefined : "seen";
  }

  #isAway(): boolean {
    return this.#silentMs() > gatewaySilenceMs;
  }

  #silentMs(): number {
    const nowMs = this.#clock.monotonicMs();
    return nowMs - (this.#heardMs ?? nowMs);
  }

  /** By the wall clock of now, so that it is as long as it was although that clock was set meanwhile. */
  #silence(): GatewayOutage {
    return { fromMs: this.#clock.now().getTime() - Math.round(this.#silentMs()) };
  }

  #heardFrom(holder: string): void {
    const nowMs = this.#clock.monotonicMs();
    for (const [other, atMs] of this.#heardOf) if (nowMs - atMs > heartbeatLimitMs) this.#heardOf.delete(other);
    this.#heardOf.set(holder, nowMs);
  }
}
