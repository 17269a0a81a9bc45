import { Buffer } from "node:buffer";
import { describe, expect, it } from "vitest";
import { encodedForms, longestBroken } from "./encoded-forms.ts";
import { redact, secretsOf, shortestSecret } from "./redaction.ts";

const secret = "p@ss/w0rd~+ü !";

function redacted(text: string, ...values: string[]): string {
  const environment = Object.fromEntries(values.map((value, index) => [`SECRET_${String(index)}`, value]));
  return redact(text, secretsOf({ environment, repositories: [] }));
}

/** Whether any 6 characters of the secret's base64 are left that say what it is. */
function isLeft(text: string, value: string): boolean {
  const decoded = text.split(/\*\*\*|[^A-Za-z0-9+/_-]/).map((part) => {
    return [0, 1, 2, 3].map((from) => Buffer.from(part.slice(from), "base64").toString("latin1")).join(" ");
  });
  return decoded.some((one) => one.includes(value.slice(2, 6)));
}

describe.each(["base64", "base64url"] as const)("of a secret in %s", (encoding) => {
  it.each(["", "a", "ab", "abc", "robot:", "x-access-token:"])("nothing is left behind %j", (before) => {
    for (const after of ["", "\n", "z", "@example.com", "??>>~~"]) {
      const text = Buffer.from(before + secret + after, "utf8").toString(encoding);
      const told = redacted(`Authorization: Basic ${text}.`, secret);
      expect(told).toContain("***");
      expect(isLeft(told, secret)).toBe(false);
    }
  });

  it("a whole line is left out, but for what pads it", () => {
    const told = redacted(Buffer.from("hunter22", "utf8").toString(encoding), "hunter22");
    expect(told.replaceAll("=", "")).toBe("***");
  });
});

it.each([64, 76])("takes out base64 that is broken after %d columns", (width) => {
  const long = Array.from({ length: 300 }, (_, index) => String.fromCharCode(33 + ((index * 7) % 90))).join("");
  const lines =
    Buffer.from(long, "utf8")
      .toString("base64")
      .match(new RegExp(`.{1,${String(width)}}`, "g")) ?? [];
  expect(redacted(lines.slice(0, -1).join("\n"), long)).toBe(
    lines
      .slice(0, -1)
      .map(() => "***")
      .join("\n"),
  );
});

it.each([
  ["encodeURIComponent", encodeURIComponent(secret)],
  ["a form", new URLSearchParams({ a: secret }).toString().slice(2)],
  ["escapes in lower case", encodeURIComponent(secret).replace(/%../g, (escape) => escape.toLowerCase())],
  ["slashes as they are", encodeURIComponent(secret).replaceAll("%2F", "/")],
])("takes out what %s makes of it", (_name, encoded) => {
  expect(redacted(`GET /?token=${encoded}&x=1`, secret)).toBe("GET /?token=***&x=1");
});

it.each([
  [shortestSecret - 1, false],
  [shortestSecret, true],
  [shortestSecret + 1, true],
])("encodes a value of %d bytes: %s", (length, isEncoded) => {
  const value = "Zq7!x%w2k".slice(0, length);
  const text = `${Buffer.from(`ab${value}`, "utf8").toString("base64")} ${encodeURIComponent(value)}`;
  expect(redacted(text, value) !== text).toBe(isEncoded);
});

it.each([longestBroken - 1, longestBroken, longestBroken + 1, 65_536])("has few forms of %d bytes", (length) => {
  const forms = encodedForms("é#".repeat(Math.ceil(length / 3)).slice(0, length));
  expect(forms.length).toBeLessThan(512);
  for (const one of forms) expect(one.length).toBeLessThan(length * 6 + 1);
});

it("leaves nothing of a long secret's base64 in one line", () => {
  const long = Array.from({ length: longestBroken + 1 }, (_, index) => String.fromCharCode(33 + (index % 90))).join("");
  expect(redacted(Buffer.from(`robot:${long}`, "utf8").toString("base64"), long).replaceAll("=", "")).toBe(
    "cm9ib3Q6***",
  );
});

it("has at most 24 forms of the shortest secret, and leaves ordinary base64 alone", () => {
  expect(encodedForms("a b/c+d~").length).toBeLessThanOrEqual(24);
  const other = Buffer.from("an ordinary text of some length", "utf8").toString("base64");
  expect(redacted(other, secret)).toBe(other);
});
