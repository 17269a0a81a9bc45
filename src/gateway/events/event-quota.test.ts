import { describe, expect, it } from "vitest";
import type { EventsLeftOut } from "../../api/runtime/events-left-out.ts";
import { EventQuota, type SharedRoom } from "./event-quota.ts";
import { eventLimits } from "./limits.ts";

describe("a session's quota", () => {
  const said = { kind: "output", source: "agent", stream: "stdout", text: "a" } as const;
  const full = { bound: "total", message: "no more" } as const;

  function quota(
    isFull: (isEssential: boolean) => boolean,
    used = 0,
  ): { quota: EventQuota; refused: string[]; told: EventsLeftOut[] } {
    const refused: string[] = [];
    const told: EventsLeftOut[] = [];
    const shared: SharedRoom = {
      full: (isEssential) => (isFull(isEssential) ? full : undefined),
      add: () => undefined,
      refused: (bound) => void refused.push(bound),
    };
    return { quota: new EventQuota(used, { shared, leftOut: (why) => void told.push(why) }), refused, told };
  }

  it("leaves out even the note where nothing has room", () => {
    const { quota: own, refused } = quota(() => true);
    expect([own.admit(said), own.admit({ kind: "ready" })]).toEqual([undefined, undefined]);
    expect(refused).toEqual(["total", "total"]);
  });

  it("counts what the session's own limit leaves out, too", () => {
    const { quota: own, refused } = quota(() => false, eventLimits.sessionBytes);
    expect([own.admit(said), own.admit({ kind: "ready" })]).toEqual([undefined, { kind: "ready" }]);
    expect(refused).toEqual(["session"]);
  });

  it.each([
    { bytes: eventLimits.sessionBytes - 1, want: [] },
    { bytes: eventLimits.sessionBytes, want: ["session"] },
    { bytes: eventLimits.sessionBytes + 1, want: ["session"] },
  ])("at $bytes bytes tells once, with the limit, that events are left out", ({ bytes, want }) => {
    const { quota: own, told } = quota(() => false, bytes);
    for (const event of [said, said, { kind: "ready" } as const]) own.admit(event);
    expect(told.map(({ bound }) => bound)).toEqual(want);
    for (const { message } of told) expect(message).toContain("64 MiB");
  });

  it.each([eventLimits.reserveBytes - 1, eventLimits.reserveBytes, eventLimits.reserveBytes + 1])(
    "with %d bytes of the reserve used tells once, also where a result is what is left out first",
    (more) => {
      const { quota: own, told } = quota(() => false, eventLimits.sessionBytes + more);
      for (let time = 0; time < 2; time += 1) own.admit({ kind: "ready" });
      expect(told.map(({ bound }) => bound)).toEqual(more < eventLimits.reserveBytes ? [] : ["session"]);
    },
  );

  it("tells each cause that follows another, and none twice where there was room in between", () => {
    let bound: EventsLeftOut["bound"] | undefined = "namespace";
    const told: string[] = [];
    const own = new EventQuota(0, {
      shared: {
        full: () => bound && { bound, message: "no more" },
        add: () => undefined,
        refused: () => undefined,
      },
      leftOut: (why) => void told.push(`${why.bound}: ${why.message}`),
    });
    const rest = "no more; until there is room, only how boots and prompts went is kept";
    for (const next of ["namespace", undefined, "namespace", "total"] as const) {
      bound = next;
      own.admit(said);
    }
    expect(told).toEqual([`namespace: ${rest}`, `total: ${rest}`]);
    // The session's own limit is final, whatever finds no room beside it.
    own.add(eventLimits.sessionBytes);
    own.admit(said);
    own.admit({ kind: "ready" });
    expect(told.map((text) => text.split(":")[0])).toEqual(["namespace", "total", "session"]);
  });
});
