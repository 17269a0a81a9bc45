import { expect, it } from "vitest";

import { ErrorTail } from "./error-tail.ts";

const secret = "planted-secret";

function tailOf(...pieces: string[]): ErrorTail {
  const tail = new ErrorTail([secret]);
  for (const piece of pieces) tail.take(piece);
  return tail;
}

it.each([
  { name: "nothing", pieces: [], line: "it failed", lines: "it failed" },
  { name: "blank lines", pieces: ["\n  \n"], line: "it failed", lines: "it failed" },
  { name: "one line", pieces: ["no sp", "ace\n"], line: "it failed: no space", lines: "it failed: no space" },
  { name: "lines", pieces: ["one\r\n\ntwo  \n\n"], line: "it failed: two", lines: "it failed: one; two" },
  { name: "colours", pieces: ["\u001b[31mred\u001b[0m\n"], line: "it failed: red", lines: "it failed: red" },
  {
    name: "a secret in pieces",
    pieces: ["is planted-", "secret"],
    line: "it failed: is ***",
    lines: "it failed: is ***",
  },
  {
    name: "the beginning of a secret",
    pieces: ["is planted-"],
    line: "it failed: is planted-",
    lines: "it failed: is planted-",
  },
])("explains a failure by $name", ({ pieces, line, lines }) => {
  expect(tailOf(...pieces).explain("it failed")).toBe(line);
  expect(tailOf(...pieces).explainAtLength("it failed")).toBe(lines);
});

it.each([
  {
    name: "of many lines",
    text: JSON.stringify({ error: { type: "E", message: "no\nkey", code: 41 } }, null, 2),
    want: "no\nkey",
  },
  { name: "behind others", text: `{\n}\n{"a":1}\n{\n "error": {\n "message": "no key"\n}\n}\n`, want: "no key" },
  { name: "with others in it", text: '{\n"error": {"message": "no key"},\n"tried": [\n{\n}\n]\n}', want: "no key" },
  { name: "of one line", text: '{"error":{"message":"no key"}}', want: "no key" },
  { name: "without words", text: '{"error":{"message":" "}}', want: '{"error":{"message":" "}}' },
  { name: "of another form", text: '{\n"message": "x"\n}', want: '"message": "x"' },
  { name: "that is none", text: "{\n oops }", want: "oops }" },
  { name: "that is not last", text: '{"error":{"message":"no key"}}\nend', want: "end" },
])("explains a failure by a JSON object $name", ({ text, want }) => {
  expect(tailOf(text).explain("f")).toBe(`f: ${want}`);
});

const cut = `${"x".repeat(98)} […] ${"x".repeat(196)}e`;

it.each([
  { length: 299, line: `${"x".repeat(298)}e` },
  { length: 300, line: `${"x".repeat(299)}e` },
  { length: 301, line: cut },
  { length: 3_000_000, line: cut },
])("shows 300 characters of $length, the end among them", ({ length, line }) => {
  const said = `${"x".repeat(length - 1)}e`;
  expect(tailOf(said).explain("f")).toBe(`f: ${line}`);
  const atLength = tailOf(`${said}\n`).explainAtLength("f");
  expect(atLength).toBe(`f: ${said.slice(-300)}`);
  if (length > 8_000) return;
  expect(tailOf(JSON.stringify({ error: { message: said } })).explain("f")).toBe(`f: ${line}`);
});

it("keeps no part of a secret at the beginning of what is kept", () => {
  const tail = tailOf(`${secret} ${"x".repeat(8_192 - secret.length)}`, "y".repeat(secret.length / 2));
  expect(tail.lines().join("")).not.toMatch(/secret|planted/);
});
