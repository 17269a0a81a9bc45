import { expect, it } from "vitest";
import { OwnWrites } from "./own-writes.ts";

function version(resourceVersion: string, uid = "u"): { metadata: { uid: string; resourceVersion: string } } {
  return { metadata: { uid, resourceVersion } };
}

it("knows exactly the recorded versions and their keys", () => {
  const own = new OwnWrites();
  own.record(version("5"), "demo/a");
  expect(own.isBy("demo/a", version("5"))).toBe(true);
  expect(own.isBy("demo/b", version("5"))).toBe(false);
  expect(own.isBy("demo/a", version("6"))).toBe(false);
  expect(own.isBy("demo/a", version("5", "other"))).toBe(false);
});

it("forgets the oldest of more than 4,096", () => {
  const own = new OwnWrites();
  for (let at = 0; at <= 4_096; at += 1) own.record(version(`${at}`), "a");
  expect([own.isBy("a", version("0")), own.isBy("a", version("1"))]).toEqual([false, true]);
});
