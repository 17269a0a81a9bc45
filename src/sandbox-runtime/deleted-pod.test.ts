import { expect, it } from "vitest";
import { FakeClock } from "../lib/fake-clock.ts";
import { DeletedPod, orderMs } from "./deleted-pod.ts";

function made({ hasUnsaved = true } = {}) {
  const clock = new FakeClock();
  const ended = { at: undefined as number | undefined };
  const end = (): void => void (ended.at ??= clock.monotonicMs());
  return { clock, ended, pod: new DeletedPod({ clock, hasUnsaved: () => hasUnsaved, end }) };
}

it("ends at once with nothing to save", () => {
  const { ended, pod } = made({ hasUnsaved: false });
  pod.begin();
  expect(ended.at).toBeDefined();
});

it("does not end before its pod is deleted", () => {
  const { clock, ended, pod } = made();
  pod.saving(true);
  pod.saving(false);
  clock.advance(10 * orderMs);
  expect(ended.at).toBeUndefined();
});

it("ends when no saving has begun in time", () => {
  const { clock, ended, pod } = made();
  pod.begin();
  clock.advance(orderMs - 1);
  expect(ended.at).toBeUndefined();
  clock.advance(1);
  expect(ended.at).toBeDefined();
});

it.each(["before", "after"])("goes on while a saving goes on that began %s the deletion", (when) => {
  const { clock, ended, pod } = made();
  if (when === "before") pod.saving(true);
  pod.begin();
  clock.advance(orderMs - 1);
  if (when === "after") pod.saving(true);
  clock.advance(10 * orderMs);
  expect(ended.at).toBeUndefined();
});

it("waits anew once a saving goes on no more", () => {
  const { clock, ended, pod } = made();
  pod.begin();
  pod.saving(true);
  clock.advance(orderMs);
  pod.saving(false);
  clock.advance(orderMs - 1);
  expect(ended.at).toBeUndefined();
  clock.advance(1);
  expect(ended.at).toBeDefined();
});
