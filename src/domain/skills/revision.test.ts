import { Buffer } from "node:buffer";
import { describe, expect, it } from "vitest";
import type { SkillText } from "../../api/v1alpha1/skill-file.ts";
import { SkillSpec } from "../../api/v1alpha1/skill.ts";
import { revisionOf, revisionProblem } from "./revision.ts";

const file = (path: string, bytes = 1, executable = false): SkillText => ({
  path,
  content: "x".repeat(bytes),
  executable,
});

const KiB256 = 262_144;
/** Bytes of SKILL.md before the body. */
const headBytes = 35;

function problemOf(files: SkillText[], body = "", description = "b"): string | undefined {
  return revisionProblem(revisionOf("a", { description, body, files }).skill);
}

describe("sizes (product 03 2.6)", () => {
  const rows: { name: string; files?: SkillText[]; bodyBytes?: number; problem?: string }[] = [
    { name: "1: a file of 262,144 bytes", files: [file("a", KiB256)] },
    { name: "1: a byte more", files: [file("a", KiB256 + 1)], problem: "a is 262145 bytes; a file is at most 262144" },
    { name: "2: a SKILL.md of 262,144 bytes", bodyBytes: KiB256 - headBytes },
    {
      name: "2: a byte more",
      bodyBytes: KiB256 - headBytes + 1,
      problem: "SKILL.md is 262145 bytes; a file is at most 262144",
    },
    {
      name: "3: four files of 262,144 bytes and SKILL.md",
      files: ["a", "b", "c", "d"].map((path) => file(path, KiB256)),
      problem: "SKILL.md and the files are 1048611 bytes; together they are at most 1048576",
    },
    {
      name: "4: three files of 262,144 bytes and a SKILL.md of as many",
      files: ["a", "b", "c"].map((path) => file(path, KiB256)),
      bodyBytes: KiB256 - headBytes,
    },
    {
      name: "5: 99 files of 10,591 bytes and a SKILL.md of 67",
      files: Array.from({ length: 99 }, (_, index) => file(`f${index}`, 10_591)),
      bodyBytes: 67 - headBytes,
    },
    {
      name: "5: a SKILL.md of 68",
      files: Array.from({ length: 99 }, (_, index) => file(`f${index}`, 10_591)),
      bodyBytes: 68 - headBytes,
      problem: "SKILL.md and the files are 1048577 bytes; together they are at most 1048576",
    },
  ];
  it.each(rows)("$name", ({ files = [], bodyBytes = 0, problem }) => {
    expect(problemOf(files, "x".repeat(bodyBytes))).toBe(problem);
  });

  it("counts bytes and not characters", () => {
    expect(problemOf([{ ...file("a"), content: "é".repeat(KiB256 / 2) }])).toBeUndefined();
    expect(problemOf([{ ...file("a"), content: "é".repeat(KiB256 / 2 + 1) }])).toContain("262146 bytes");
  });

  it.each([
    ["6: 1,024 quotation marks are 2,048 bytes", '"'.repeat(1_024), 2_048],
    ["7: 1,024 emoji are 4,096 bytes", "😀".repeat(1_024), 4_096],
  ])("%s of the description", (_, description, bytes) => {
    expect(SkillSpec.safeParse({ description }).success).toBe(true);
    const { bytes: all, skill } = revisionOf("a", { description, body: "" });
    expect(all).toBe(headBytes - 1 + bytes);
    expect(Buffer.byteLength(skill.skillFile)).toBe(all);
  });
});

it.each([
  ["34: a file that is a folder too", ["a", "a/b"], "a is a file and the folder of a/b"],
  ["a file that is a folder further down", ["x/y/z/f", "x/y"], "x/y is a file and the folder of x/y/z/f"],
  ["35: one path twice", ["a.md", "a.md"], "a.md is the path of two files"],
  ["36: one path composed and decomposed", ["\u00e9.md", "e\u0301.md"], "\u00e9.md is the path of two files"],
  ["names that differ in case", ["a", "A"], undefined],
  ["names that begin alike", ["a", "ab/c"], undefined],
])("paths (product 03 2.5): %s", (_, paths, problem) => {
  const found = problemOf(paths.map((path) => file(path)));
  expect(found).toBe(problem);
});

describe("a digest", () => {
  const digestOf = (files: SkillText[], body = "b"): string =>
    revisionOf("a", { description: "d", body, files }).digest;
  const base = digestOf([{ path: "ab", content: "c", executable: false }]);

  it("does not depend on the order of files", () => {
    expect(digestOf([file("a"), file("b", 2)])).toBe(digestOf([file("b", 2), file("a")]));
  });

  it.each<[string, SkillText[], string?]>([
    ["where a path ends and its content begins", [{ path: "a", content: "bc", executable: false }]],
    ["whether a file is executable", [{ path: "ab", content: "c", executable: true }]],
    ["the content", [{ path: "ab", content: "d", executable: false }]],
    ["the body", [{ path: "ab", content: "c", executable: false }], "c"],
  ])("tells %s", (_, files, body) => {
    expect(digestOf(files, body)).not.toBe(base);
  });
});
