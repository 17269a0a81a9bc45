import { expect, it } from "vitest";

import { FakeClock } from "./fake-clock.ts";

it("lets a timer that is set anew for what is left of its time come to its end", () => {
  const clock = new FakeClock();
  clock.advance(123_456_789.123_456_7);
  const [begunMs, limitMs] = [clock.monotonicMs(), 300_000.1];
  let looks = 0;
  const look = (): void => {
    looks += 1;
    const leftMs = limitMs - (clock.monotonicMs() - begunMs);
    if (leftMs > 0 && looks < 10) clock.setTimeout(look, leftMs);
  };
  clock.setTimeout(look, limitMs);
  clock.advance(400_000);
  expect(looks).toBeLessThan(3);
});
