import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { revisionOf } from "./revision.ts";
import { decodeSet, encodeSet, setBytes } from "./skill-set.ts";

const skill = (name: string, body = "", files: { path: string; content: string; executable: boolean }[] = []) =>
  revisionOf(name, { description: "b", body, files }).skill;

it("is the same in whatever order skills come, and is read as it was written", () => {
  const [one, two] = [skill("one", "1"), skill("two", "2", [{ path: "a", content: "é", executable: false }])];
  const set = encodeSet([two, one]);
  expect(set).toEqual(encodeSet([one, two]));
  expect(decodeSet(set.content, set.digest)).toEqual([one, two]);
});

it("has version 2 where a file is no text, so that runtimes of before do not write its base64", () => {
  const logo = { path: "logo.png", content: "iVD/", encoding: "base64" as const, executable: false };
  const [text, picture] = [skill("one"), revisionOf("two", { description: "b", body: "", files: [logo] }).skill];
  expect(JSON.parse(encodeSet([text]).content.toString())).toMatchObject({ version: 1 });
  const set = encodeSet([text, picture]);
  expect(JSON.parse(set.content.toString())).toMatchObject({ version: 2 });
  expect(decodeSet(set.content, set.digest)).toEqual([text, picture]);
});

it("is not read where a byte differs", () => {
  const { content, digest } = encodeSet([skill("one")]);
  content[20]! ^= 1;
  expect(() => decodeSet(content, digest)).toThrow("not those that the session was created with");
});

const file = (path: string, executable = false) => ({ path, content: "x", executable });

it.each([
  ["no JSON", "{", "form of a set"],
  ["another version", { version: 3, skills: [] }, "form of a set"],
  ["a name that is no name", { version: 1, skills: [{ ...skill("a"), name: "../a" }] }, "form of a set"],
  ["a reserved name", { version: 1, skills: [{ ...skill("a"), name: "record-video" }] }, "form of a set"],
  ["a path out of the folder", { version: 1, skills: [skill("a", "", [file("../b")])] }, "form of a set"],
  ["an absolute path", { version: 1, skills: [skill("a", "", [file("/b")])] }, "form of a set"],
  ["a second SKILL.md", { version: 1, skills: [skill("a", "", [file("SKILL.md")])] }, "form of a set"],
  ["a program outside scripts", { version: 1, skills: [skill("a", "", [file("b", true)])] }, "form of a set"],
  [
    "100 files",
    {
      version: 1,
      skills: [
        skill(
          "a",
          "",
          Array.from({ length: 100 }, (_, i) => file(`f${i}`)),
        ),
      ],
    },
    "form of a set",
  ],
  ["one name twice", { version: 1, skills: [skill("a"), skill("a")] }, "two skills have one name"],
  [
    "a file and folder of one name",
    { version: 1, skills: [skill("a", "", [file("b"), file("b/c")])] },
    "skill a cannot be used",
  ],
  ["a file that is too large", { version: 1, skills: [skill("a", "x".repeat(262_144))] }, "skill a cannot be used"],
])("is not read with %s, whatever its digest", (_, document, message) => {
  const text = typeof document === "string" ? document : JSON.stringify(document);
  const digest = `sha256:${createHash("sha256").update(text).digest("hex")}`;
  expect(() => decodeSet(Buffer.from(text), digest)).toThrow(message);
});

/** Exactly 1 MiB. */
const aMiB = (name: string) => {
  const files = ["a", "b", "c"].map((path) => ({ path, content: "x".repeat(262_144), executable: false }));
  const head = skill(name).skillFile.length;
  return skill(name, "x".repeat(262_144 - head), files);
};

it("is read at exactly 5 MiB and not with a small skill more", () => {
  const five = ["a", "b", "c", "d", "e"].map(aMiB);
  expect(setBytes(five)).toBe(5_242_880);
  const set = encodeSet(five);
  expect(decodeSet(set.content, set.digest)).toHaveLength(5);
  const more = encodeSet([...five, skill("f")]);
  expect(() => decodeSet(more.content, more.digest)).toThrow("more than a session's may be");
});

it("200 skills of 20,000 bytes are 4,000,000 bytes, in which neither paths nor the form of the set count", () => {
  const files = [
    { path: "references/a-long-path-that-does-not-count.md", content: "x".repeat(100), executable: false },
  ];
  const all = Array.from({ length: 200 }, (_, index) => {
    const name = `s-${String(index).padStart(3, "0")}`;
    return skill(name, "x".repeat(20_000 - 100 - skill(name).skillFile.length), files);
  });
  expect(setBytes(all)).toBe(4_000_000);
  const set = encodeSet(all);
  expect(decodeSet(set.content, set.digest)).toHaveLength(200);
});
