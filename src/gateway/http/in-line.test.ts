import { setImmediate } from "node:timers/promises";

import { expect, it } from "vitest";

import { InLine } from "./in-line.ts";

it("does the work of a key one after the other, and that of another key at once", async () => {
  const line = new InLine();
  const begun: string[] = [];
  const gates = new Map<string, PromiseWithResolvers<string>>();
  const add = (key: string, name: string): Promise<string> =>
    line.run(key, () => {
      begun.push(name);
      const gate = Promise.withResolvers<string>();
      gates.set(name, gate);
      return gate.promise;
    });
  const all = [add("shop", "s1"), add("shop", "s2"), add("site", "t1")];
  await setImmediate();
  expect(begun).toEqual(["s1", "t1"]);
  gates.get("s1")?.reject(new Error("no"));
  await expect(all[0]).rejects.toThrow("no");
  await setImmediate();
  expect(begun).toEqual(["s1", "t1", "s2"]);
  gates.get("s2")?.resolve("s2");
  gates.get("t1")?.resolve("t1");
  expect(await Promise.all(all.slice(1))).toEqual(["s2", "t1"]);
  await setImmediate();
  expect(line.size).toBe(0);
});
