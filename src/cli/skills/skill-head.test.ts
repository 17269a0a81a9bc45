import { expect, it } from "vitest";
import { readSkillHead } from "./skill-head.ts";

it.each<[string, string, Record<string, unknown>, string]>([
  [
    "with all fields",
    "name: a\ndescription: d\nlicense: MIT\ncompatibility: git\nmetadata: {b: c}\n",
    {
      name: "a",
      description: "d",
      license: "MIT",
      compatibility: "git",
      metadata: { b: "c" },
    },
    "body\n",
  ],
  [
    "whose values look like numbers, dates and words of YAML",
    "name: 123\nlicense: 2026-05-04\nmetadata: {a: 1.0, b: yes, c: null, d: ~}\n",
    {
      name: "123",
      license: "2026-05-04",
      metadata: { a: "1.0", b: "yes", c: "null", d: "~" },
    },
    "",
  ],
  [
    "with a text over several lines, and a comment",
    "# why\ndescription: |\n  one\n  two\n",
    { description: "one\ntwo\n" },
    "---\nname: b\n---\n",
  ],
  ["with an empty value", "license:\n", { license: "" }, ""],
])("reads a head %s", (_, head, fields, body) => {
  expect(readSkillHead(`---\n${head}---\n${body}`)).toEqual({ fields, body, faults: [] });
});

it.each([
  ["with line ends of others", "---\r\nname: a\r\n---\r\nb\r\n\r\n", "b\r\n\r\n"],
  ["with blanks after the lines", "--- \nname: a\n---\t\nb", "b"],
  ["with a byte order mark before it", "\ufeff---\nname: a\n---\n\ufeffb", "\ufeffb"],
  ["that ends with the head", "---\nname: a\n---", ""],
  ["that ends with the head's line end", "---\nname: a\n---\n", ""],
  ["with line separators in its text", "---\nname: a\n---\na\u2028---\u0085b\n", "a\u2028---\u0085b\n"],
])("reads a file %s, its body byte for byte", (_, text, body) => {
  expect(readSkillHead(text)).toEqual({ fields: { name: "a" }, body, faults: [] });
});

it.each([
  ["without a head", "# Steps\n", "SKILL.md does not begin with a head between two lines ---"],
  ["that is empty", "", "SKILL.md does not begin with a head between two lines ---"],
  ["whose head does not end", "---\nname: a\n", "SKILL.md does not begin with a head between two lines ---"],
  [
    "whose head begins further down",
    "\n---\nname: a\n---\n",
    "SKILL.md does not begin with a head between two lines ---",
  ],
  ["whose head has nothing", "---\n---\n", "SKILL.md has a head without fields"],
  ["whose head is a list", "---\n- a\n---\n", "SKILL.md has a head without fields"],
  [
    "whose head is no YAML",
    "---\nname: a\ndescription: a: b\n---\n",
    "SKILL.md has a head that is no YAML: Nested mappings are not allowed in compact mappings at line 3, column 14",
  ],
  [
    "whose head has a field twice",
    "---\nname: a\nname: b\n---\n",
    "SKILL.md has a head that is no YAML: Map keys must be unique at line 3, column 1",
  ],
  [
    "with an alias",
    "---\nname: &n a\ndescription: *n\n---\n",
    "SKILL.md has the alias *n in its head, and aliases are not read",
  ],
  [
    "with a field that no Skill has",
    "---\nname: a\nallowed-tools: Read\n---\n",
    "SKILL.md has the field allowed-tools in its head, which a Skill has not",
  ],
])("says what is wrong with a file %s", (_, text, problem) => {
  expect(readSkillHead(text).faults.map((fault) => fault.problem)).toEqual([problem]);
});

it("does not follow aliases that would grow without end", () => {
  const levels = "abcdefghij".split("").map((name, index, all) => {
    const before = all[index - 1];
    return `${name}: &${name} [${Array.from({ length: 10 }, () => (before ? `*${before}` : "x")).join(", ")}]`;
  });
  const { fields, faults } = readSkillHead(`---\n${levels.join("\n")}\n---\n`);
  expect(fields).toEqual({});
  expect(faults[0]?.problem).toContain("aliases are not read");
});
