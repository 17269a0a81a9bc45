import { expect, it } from "vitest";

import { FakeClock } from "../../lib/fake-clock.ts";
import { SessionRate } from "./session-rate.ts";

it("lets a session make 240 requests to a path at once and 120 a minute, and others as many", () => {
  const clock = new FakeClock();
  const rate = new SessionRate(clock);
  const takeAll = (uid: string, path: string): number => {
    for (let taken = 0; ; taken += 1) {
      try {
        rate.take(uid, path);
      } catch (error) {
        expect(error).toMatchObject({ status: 429, code: "TooManyRequests" });
        return taken;
      }
    }
  };
  expect(takeAll("s1", "/children")).toBe(240);
  clock.advance(60_000);
  expect(takeAll("s1", "/children")).toBe(120);
  expect([takeAll("s1", "/media"), takeAll("s2", "/children")]).toEqual([240, 240]);
});
