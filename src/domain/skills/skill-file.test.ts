import { Buffer } from "node:buffer";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { renderSkillFile } from "./skill-file.ts";

it("is the file of the product's example", () => {
  const content = {
    description: 'Review "risky" changes',
    license: "MIT",
    metadata: { b: "2", a: "1" },
    body: "# Steps\n",
  };
  expect(renderSkillFile("code-review", content)).toBe(
    '---\nname: "code-review"\ndescription: "Review \\"risky\\" changes"\nlicense: "MIT"\nmetadata:\n  "a": "1"\n  "b": "2"\n---\n# Steps\n',
  );
});

it("is 35 bytes before the body at the least", () => {
  expect(Buffer.byteLength(renderSkillFile("a", { description: "b", body: "" }))).toBe(35);
});

const head = (file: string): unknown => parse(file.split("\n---\n")[0]!.slice("---\n".length));

it.each(["123", "true", "null", "1e3", "2026-05-04", "a"])("has the name %s as a text", (name) => {
  expect(head(renderSkillFile(name, { description: "d", body: "" }))).toMatchObject({ name });
});

it.each([
  ["characters that YAML does not allow", "a\u007fb\u0085c\u009fd"],
  ["line separators and byte order marks", "a\u2028b\u2029c\ufeffd"],
  ["lines, tabs, quotes and backslashes", 'a\nb\tc"d\\e'],
  ["what looks like YAML", "a: b # c {d} [e] *f &g !h"],
  ["wide characters", "𝄞é"],
])("says %s so that a reader of YAML finds them again", (_, text) => {
  const content = { description: text, license: text, compatibility: text, metadata: { [text]: text }, body: "" };
  const file = renderSkillFile("a", content);
  expect(head(file)).toEqual({
    name: "a",
    description: text,
    license: text,
    compatibility: text,
    metadata: { [text]: text },
  });
  expect(file).not.toMatch(/[\u007f-\u009f\u2028\u2029\ufeff]/);
});

it.each([
  ["that begins like a head", "---\nname: other\n---\n"],
  ["with line ends of others", "a\r\nb\r"],
  ["without a last line end", "a"],
  ["that is empty", ""],
])("keeps a body %s as it is", (_, body) => {
  expect(renderSkillFile("a", { description: "d", body })).toBe(`---\nname: "a"\ndescription: "d"\n---\n${body}`);
});

it("orders metadata by bytes, and leaves out what is empty or not there", () => {
  const metadata = { é: "3", z: "2", Z: "1" };
  expect(
    Object.keys(
      (head(renderSkillFile("a", { description: "d", metadata, body: "" })) as { metadata: object }).metadata,
    ),
  ).toEqual(["Z", "z", "é"]);
  expect(renderSkillFile("a", { description: " d\n", metadata: {}, body: "" })).toBe(
    '---\nname: "a"\ndescription: "d"\n---\n',
  );
});
