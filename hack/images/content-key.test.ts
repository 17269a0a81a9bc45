import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { contentKey } from "./content-key.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "content-key-"));
  await writeFile(join(folder, "a"), "one");
  await writeFile(join(folder, "b"), "one");
});
afterEach(() => rm(folder, { recursive: true }));

describe("contentKey", () => {
  it("is the same for the same words and files", async () => {
    expect(await contentKey(folder, ["x"], ["a"])).toBe(await contentKey(folder, ["x"], ["a"]));
  });

  it("is a valid image tag", async () => {
    expect(await contentKey(folder, ["x"], ["a"])).toMatch(/^[a-f0-9]{16}$/);
  });

  it("changes with a file's content", async () => {
    const before = await contentKey(folder, [], ["a"]);
    await writeFile(join(folder, "a"), "two");
    expect(await contentKey(folder, [], ["a"])).not.toBe(before);
  });

  it.each([
    { name: "a word", one: [["x"], ["a"]], other: [["y"], ["a"]] },
    { name: "where a word ends", one: [["ab", "c"], ["a"]], other: [["a", "bc"], ["a"]] },
    { name: "a file's name", one: [["x"], ["a"]], other: [["x"], ["b"]] },
  ])("changes with $name", async ({ one, other }) => {
    const [oneWords = [], oneFiles = []] = one;
    const [otherWords = [], otherFiles = []] = other;
    expect(await contentKey(folder, oneWords, oneFiles)).not.toBe(await contentKey(folder, otherWords, otherFiles));
  });
});
