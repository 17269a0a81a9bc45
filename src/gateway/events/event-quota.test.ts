import { describe, expect, it } from "vitest";
import { EventQuota, type SharedRoom } from "./event-quota.ts";
import { eventLimits } from "./limits.ts";

describe("a session's quota", () => {
  const said = { kind: "output", source: "agent", stream: "stdout", text: "a" } as const;
  const full = { bound: "total", message: "no more" } as const;

  function quota(isFull: (isEssential: boolean) => boolean, used = 0): { quota: EventQuota; refused: string[] } {
    const refused: string[] = [];
    const shared: SharedRoom = {
      full: (isEssential) => (isFull(isEssential) ? full : undefined),
      add: () => undefined,
      refused: (bound) => void refused.push(bound),
    };
    return { quota: new EventQuota(used, shared), refused };
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
});
