import { gatewaySilenceMs, heartbeatLimitMs } from "../../../domain/clocks/limits.ts";
import type { Lease } from "../../../kube/core-resources.ts";
import type { Change } from "../../../kube/cache.ts";
import type { Clock, Timer } from "../../../lib/clock.ts";
import type { ObjectKey } from "../../../lib/resource.ts";
import { ownerKeysOf } from "../../../domain/attempts/owner-labels.ts";
import type { GatewayPresence } from "./gateway-presence.ts";

/** Whether a sandbox that has been silent for so long is stale: exactly the limit is not yet too long. */
export function isStale(silentMs: number): boolean {
  return silentMs > heartbeatLimitMs;
}

/** Whole milliseconds after which {@link isStale} becomes true if nothing is heard; 0 when it is true. */
export function heartbeatLeftMs(silentMs: number): number {
  return isStale(silentMs) ? 0 : Math.floor(heartbeatLimitMs - silentMs) + 1;
}

interface Beat {
  owner: ObjectKey;
  renewTime: string | undefined;
  seenMs: number;
  timer: Timer;
}

/**
 * When each sandbox was last heard, by this process's own monotonic clock: the times that gateways write are compared
 * with nothing but themselves. Its owner has all counting begin anew when the Leases were listed again and when gateways are
 * back after none of them was there, so that no outage of ours is taken for a sandbox's silence.
 */
export class Heartbeats {
  readonly #clock: Clock;
  readonly #gateways: Pick<GatewayPresence, "isSilent">;
  readonly #ownerKind: string;
  readonly #onStale: (leaseName: string, owner: ObjectKey) => void;
  readonly #beats = new Map<string, Beat>();

  /**
   * `onStale` is called once the named Lease was not renewed for longer than the limit. Whether that Lease is still there
   * makes no difference: without one a lost sandbox would never be found.
   */
  constructor(
    deps: { clock: Clock; gateways: Pick<GatewayPresence, "isSilent">; ownerKind: string },
    onStale: (leaseName: string, owner: ObjectKey) => void,
  ) {
    this.#clock = deps.clock;
    this.#gateways = deps.gateways;
    this.#ownerKind = deps.ownerKind;
    this.#onStale = onStale;
  }

  /** Whether the sandbox behind this Lease has been silent for too long, and it is not the gateways that are. */
  isStale(leaseName: string): boolean {
    const beat = this.#beats.get(leaseName);
    return beat !== undefined && !this.#gateways.isSilent() && isStale(this.#clock.monotonicMs() - beat.seenMs);
  }

  /** Takes a change of an attempt's Lease; those of owners of another kind are ignored. */
  leaseChanged({ type, object }: Change<Lease>): void {
    const [owner] = ownerKeysOf(this.#ownerKind, object);
    if (type !== "deleted" && owner) this.heard(object.metadata.name ?? "", owner, object.spec?.renewTime);
  }

  /** The Lease was read with this renewal; only another than before is a sign of life. */
  heard(name: string, owner: ObjectKey, renewTime: string | undefined): void {
    const beat = this.#beats.get(name);
    if (beat && beat.renewTime === renewTime) return;
    beat?.timer.cancel();
    const timer = this.#arm(name, heartbeatLimitMs);
    this.#beats.set(name, { owner, renewTime, seenMs: this.#clock.monotonicMs(), timer });
  }

  /** Whether a sandbox is listened for under this name. */
  has(name: string): boolean {
    return this.#beats.has(name);
  }

  /** The sandbox behind this Lease is over. */
  forget(name: string): void {
    this.#beats.get(name)?.timer.cancel();
    this.#beats.delete(name);
  }

  /** Begins all counting anew. */
  restart(): void {
    const nowMs = this.#clock.monotonicMs();
    for (const [name, beat] of this.#beats) {
      beat.timer.cancel();
      this.#beats.set(name, { ...beat, seenMs: nowMs, timer: this.#arm(name, heartbeatLimitMs) });
    }
  }

  /** Cancels all timers. */
  stop(): void {
    for (const { timer } of this.#beats.values()) timer.cancel();
    this.#beats.clear();
  }

  #arm(name: string, delayMs: number): Timer {
    return this.#clock.setTimeout(() => this.#due(name), delayMs);
  }

  #due(name: string): void {
    const beat = this.#beats.get(name);
    if (!beat) return;
    if (this.isStale(name)) {
      this.#onStale(name, beat.owner);
      return;
    }
    // While no gateway speaks no sandbox is judged, and their return restarts the count; until then look now and then.
    const leftMs = heartbeatLeftMs(this.#clock.monotonicMs() - beat.seenMs);
    beat.timer = this.#arm(name, Math.max(leftMs, this.#gateways.isSilent() ? gatewaySilenceMs : 1));
  }
}
