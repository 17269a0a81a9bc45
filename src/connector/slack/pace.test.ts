import { expect, it } from "vitest";

import { FakeClock } from "../../lib/fake-clock.ts";
import { Pace } from "./pace.ts";

it("spaces the messages of a channel, and of no other", async () => {
  const clock = new FakeClock();
  const pace = new Pace(clock);
  const had: string[] = [];
  const after = async (ms: number): Promise<readonly string[]> => {
    clock.advance(ms);
    await new Promise((resolve) => setImmediate(resolve));
    return had;
  };
  for (const [name, channel] of Object.entries({ first: "C1", second: "C1", other: "C2" })) {
    void pace.turn(channel).then(() => had.push(name));
  }
  expect(await after(1_099)).toEqual(["first", "other"]);
  expect(await after(1)).toEqual(["first", "other", "second"]);
});
