import { expect, it, vi } from "vitest";
import { FakeClock } from "../../../lib/fake-clock.ts";
import { SkillSetUse } from "./set-use.ts";

const hour = 3_600_000;

it.each([
  ["is kept for less than an hour after its last use", hour - 1, 0],
  ["goes an hour after its last use", hour, 1],
])("a set that no session names %s", async (_, waitMs, times) => {
  const clock = new FakeClock();
  const use = new SkillSetUse(clock);
  const remove = vi.fn(() => Promise.resolve());
  use.use("a");
  clock.advance(hour);
  use.use("a");
  clock.advance(waitMs);
  await use.deleteIfUnused("a", remove);
  expect(remove).toHaveBeenCalledTimes(times);
});

it("a set that this process has not seen before is kept for an hour from then on", async () => {
  const clock = new FakeClock();
  const use = new SkillSetUse(clock);
  const remove = vi.fn(() => Promise.resolve());
  for (const waitMs of [0, hour - 1, 1]) {
    clock.advance(waitMs);
    expect(remove).not.toHaveBeenCalled();
    await use.deleteIfUnused("a", remove);
  }
  expect(remove).toHaveBeenCalledOnce();
});

it("no start begins with a set while it is being deleted, whether that succeeds or fails", async () => {
  const clock = new FakeClock();
  const use = new SkillSetUse(clock);
  use.use("a");
  clock.advance(hour);
  const going = Promise.withResolvers<undefined>();
  const deleted = use.deleteIfUnused("a", () => going.promise);
  expect(() => use.use("a")).toThrow("just being deleted");
  use.use("b");
  going.reject(new Error("cut off"));
  await expect(deleted).rejects.toThrow("cut off");
  use.use("a");
});
