import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { filesLeftOut, type Level, levels } from "./levels.ts";

const root = join(import.meta.dirname, "..", "..");
const patterns = ["src", "hack", "bench", "test"].map((folder) => `${folder}/**/*.test.ts`);

function filesOf(level: Level): string[] {
  return globSync([...level.files], { cwd: root, exclude: filesLeftOut(level) });
}

describe("levels", () => {
  it("run each test file, in one level of npm test at most and in one long level at most", () => {
    const [everyChange, long] = [false, true].map((isLong) =>
      levels.filter((level) => (level.isLong ?? false) === isLong).flatMap(filesOf),
    ) as [string[], string[]];
    expect(new Set(everyChange).size).toBe(everyChange.length);
    expect(new Set(long).size).toBe(long.length);
    expect([...new Set([...everyChange, ...long])].sort()).toEqual(globSync(patterns, { cwd: root }).sort());
  });

  it.each(levels.flatMap(({ name, files }) => files.map((glob) => ({ name, glob }))))(
    "$name has files at $glob",
    ({ glob }) => {
      expect(globSync(glob, { cwd: root })).not.toEqual([]);
    },
  );

  it.each(levels)("$name has a script of its own", ({ name }) => {
    const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { scripts: object };
    expect(Object.values(scripts)).toContain(`node hack/run.mjs hack/test/main.ts ${name}`);
  });

  it.each(levels.flatMap(({ name, files, alone = [] }) => alone.map((file) => ({ name, files, file }))))(
    "$name has the file $file that is alone",
    ({ files, file }) => {
      expect(globSync([...files], { cwd: root })).toContain(file);
    },
  );

  it("have names and batches of their own", () => {
    expect(new Set(levels.map(({ name }) => name)).size).toBe(levels.length);
    const lengths = Map.groupBy(levels, ({ batch }) => batch);
    for (const together of lengths.values()) expect(new Set(together.map(({ isLong }) => isLong)).size).toBe(1);
  });
});
