import { gatewaySilenceMs, heartbeatLimitMs } from "../../../domain/clocks/limits.ts";
import type { Lease } from "../../../kube/core-resources.ts";
import type { Change } from "../../../kube/cache.ts";
import type { Clock, Timer } from "../../../lib/clock.ts";
import { jsonEqual } from "../../../lib/json-equal.ts";
import type { ObjectKey } from "../../../lib/resource.ts";
import { ownerKeysOf } from "../../../domain/attempts/owner-labels.ts";
import type { GatewayPresence } from "./gateway-presence.ts";
import { type LeaseBeats, leaseBeats } from "./lease-beats.ts";

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
  beats: LeaseBeats;
  /** When it was heard last, as far as its own Lease says, or when counting began anew since. */
  heardMs: number;
  timer?: Timer;
}

export interface HeartbeatsDeps {
  clock: Clock;
  gateways: Pick<GatewayPresence, "isSilent" | "heardOfMs">;
  ownerKind: string;
  /** Whether the sandbox that beats under this name goes on; one that does not is listened for no more. */
  goesOn: (leaseName: string, owner: ObjectKey) => boolean;
}

/**
 * When each sandbox was last heard, by this process's own monotonic clock: times that gateways write are compared with
 * those of the same gateway alone. Its owner has all counting begin anew when the Leases were listed again and when
 * gateways are back after none of them was there, so that no outage of ours is taken for a sandbox's silence.
 */
export class Heartbeats {
  readonly #clock: Clock;
  readonly #gateways: HeartbeatsDeps["gateways"];
  readonly #ownerKind: string;
  readonly #goesOn: HeartbeatsDeps["goesOn"];
  readonly #onStale: (leaseName: string, owner: ObjectKey) => void;
  readonly #beats = new Map<string, Beat>();

  /**
   * `onStale` is called once the named Lease's sandbox was not heard for longer than the limit. Whether that Lease is still
   * there makes no difference: without one a lost sandbox would never be found.
   */
  constructor(deps: HeartbeatsDeps, onStale: (leaseName: string, owner: ObjectKey) => void) {
    this.#clock = deps.clock;
    this.#gateways = deps.gateways;
    this.#ownerKind = deps.ownerKind;
    this.#goesOn = deps.goesOn;
    this.#onStale = onStale;
  }

  /** Whether the sandbox behind this Lease has been silent for too long, and it is not the gateways that are. */
  isStale(leaseName: string): boolean {
    const beat = this.#beats.get(leaseName);
    return beat !== undefined && !this.#gateways.isSilent() && isStale(this.#silentMs(beat));
  }

  /** Takes a change of an attempt's Lease; those of owners of another kind are ignored. */
  leaseChanged({ type, object }: Change<Lease>): void {
    const [owner] = ownerKeysOf(this.#ownerKind, object);
    if (type !== "deleted" && owner) this.heard(object.metadata.name ?? "", owner, object);
  }

  /** The Lease was read so, or there is none; only what differs from before is a sign of anything. */
  heard(name: string, owner: ObjectKey, lease: Pick<Lease, "metadata" | "spec"> | undefined): void {
    const known = this.#beats.get(name);
    const beats = leaseBeats(lease);
    if (known && jsonEqual(known.beats, beats)) return;
    known?.timer?.cancel();
    const earlierMs = beats.kind === "silent" ? beats.forMs : 0;
    const beat: Beat = { owner, beats, heardMs: this.#clock.monotonicMs() - earlierMs };
    this.#beats.set(name, beat);
    this.#arm(name, beat);
  }

  /** Whether a sandbox is listened for under this name. */
  has(name: string): boolean {
    return this.#beats.has(name);
  }

  /** Begins all counting anew. */
  restart(): void {
    const nowMs = this.#clock.monotonicMs();
    for (const [name, beat] of this.#beats) {
      beat.timer?.cancel();
      beat.heardMs = nowMs;
      this.#arm(name, beat);
    }
  }

  /** Cancels all timers. */
  stop(): void {
    for (const { timer } of this.#beats.values()) timer?.cancel();
    this.#beats.clear();
  }

  #silentMs({ beats, heardMs }: Beat): number {
    const vouchedMs = beats.kind === "vouched" ? this.#gateways.heardOfMs(beats.holder) : undefined;
    return this.#clock.monotonicMs() - Math.max(heardMs, vouchedMs ?? -Infinity);
  }

  /** While no gateway speaks no sandbox is judged; until then, and after a judgement, it is looked at now and then. */
  #arm(name: string, beat: Beat): void {
    const leftMs = heartbeatLeftMs(this.#silentMs(beat));
    const delayMs = leftMs === 0 || this.#gateways.isSilent() ? Math.max(leftMs, gatewaySilenceMs) : leftMs;
    beat.timer = this.#clock.setTimeout(() => this.#due(name, beat), delayMs);
  }

  /** One of a sandbox that is over would be vouched for as long as its gateway lives. */
  #due(name: string, beat: Beat): void {
    if (!this.#goesOn(name, beat.owner)) {
      this.#beats.delete(name);
      return;
    }
    this.#arm(name, beat);
    if (this.isStale(name)) this.#onStale(name, beat.owner);
  }
}
