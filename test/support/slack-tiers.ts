/** Calls a minute that Slack takes of an app in a workspace, by method: `chat.update` is of its tier 3, the others of tier 4. Others are not counted here. */
export const callsAMinute: Readonly<Record<string, number>> = {
  "chat.update": 50,
  "chat.postEphemeral": 100,
  "views.publish": 100,
};

const minuteMs = 60_000;

/** Slack's limits by method. It takes a burst, here of a minute's calls, and then as many as the tier says. */
export class SlackTiers {
  /** Monotonic milliseconds. */
  now: () => number = () => performance.now();
  /** How many calls are left, and since when. */
  readonly #left = new Map<string, { calls: number; sinceMs: number }>();

  /** Counts a call; gives the seconds after which it would be taken, and undefined where it is taken now. */
  call(method: string): number | undefined {
    const most = callsAMinute[method];
    if (most === undefined) return undefined;
    const nowMs = this.now();
    const { calls, sinceMs } = this.#left.get(method) ?? { calls: most, sinceMs: nowMs };
    const left = Math.min(most, calls + ((nowMs - sinceMs) * most) / minuteMs);
    const isTaken = left >= 1;
    this.#left.set(method, { calls: isTaken ? left - 1 : left, sinceMs: nowMs });
    return isTaken ? undefined : Math.max(1, Math.ceil(((1 - left) * 60) / most));
  }

  /** Leaves no call of a method. */
  spend(method: string): void {
    this.#left.set(method, { calls: 0, sinceMs: this.now() });
  }
}
