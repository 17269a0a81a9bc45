import fc from "fast-check";
import { RE2JS } from "re2js";
import { describe, expect, it } from "vitest";

import { TextCondition } from "../../api/v1alpha1/index.ts";
import { mostInstructions, textMismatch } from "./text-match.ts";

function mismatch(value: string, text: string, rest: Partial<TextCondition> = {}): string | undefined {
  return textMismatch(TextCondition.parse({ operator: "RegularExpression", value, ...rest }), text);
}

const insensitive = { caseSensitivity: "Insensitive" } as const;

describe("a regular expression matches", () => {
  it.each([
    ["a part of the text", "fail(ed|ure)", "Deploy failed today"],
    ["the beginning and the end of the text", "^Deploy.*today$", "Deploy failed today"],
    ["lines, where it asks for that", "(?m)^failed$", "deploy\nfailed\nagain"],
    ["a line break, where it asks for that", "(?s)deploy.failed", "deploy\nfailed"],
    ["a character beyond 16 bits as one", "^.$", "\u{1F600}"],
    ["letters of any script", String.raw`^\pL+$`, "Größe"],
  ])("%s", (_name, value, text) => {
    expect(mismatch(value, text)).toBeUndefined();
  });

  it.each([
    ["DEPLOY", "deploy"],
    ["^οδος$", "ΟΔΟΣ"],
    ["^ΟΔΟΣ$", "οδος"],
    ["[\u{10400}]", "\u{10428}"],
    ["ẞ", "ß"],
  ])("in any case: %s and %s", (value, text) => {
    expect(mismatch(value, text)).toContain("does not match");
    expect(mismatch(value, text, insensitive)).toBeUndefined();
  });
});

describe("a regular expression does not match", () => {
  it.each([
    ["another text", "^passed$", "failed"],
    ["lines, where it does not ask for that", "^failed$", "deploy\nfailed"],
    ["an empty text that has to have a character", ".", ""],
  ])("%s", (_name, value, text) => {
    expect(mismatch(value, text)).toBe(`does not match the regular expression ${JSON.stringify(value)}`);
  });

  it("and says that any case would do", () => {
    expect(mismatch("a", "b", insensitive)).toBe('does not match the regular expression "a" in any case');
  });

  it.each([
    ["of 8,192 characters", "a".repeat(8_192), undefined],
    ["of 8,192 characters beyond 16 bits", "\u{1F600}".repeat(8_192), undefined],
    ["of 8,193 characters", "a".repeat(8_193), "has over 8,192 characters"],
  ])("a text %s", (_name, text, want) => {
    const said = mismatch(".", text);
    if (want === undefined) expect(said).toBeUndefined();
    else expect(said).toContain(want);
  });
});

describe("what cannot be compared", () => {
  it("is said, with what is wrong and where", () => {
    expect(mismatch("a(b", "ab")).toBe(
      'is not compared with the regular expression "a(b": error parsing regexp: missing closing ): `a(b`',
    );
  });

  it.each([
    [1, undefined],
    [2, "it is too large"],
  ])("is larger than the rules of the kind let it be: %i hundred counts", (hundreds, want) => {
    const stored = { operator: "RegularExpression", value: "(?:a?b?){99}".repeat(hundreds) } as const;
    const said = textMismatch(stored, "");
    if (want === undefined) expect(said).toBeUndefined();
    else expect(said).toContain(want);
  });
});

describe("the work of a search", () => {
  // JavaScript's own engine takes 2^8192 steps for the first, and 8192^3 and more for the others.
  it.each([
    "(a+)+$",
    "^(a|a)*$",
    "^(a*)*$",
    "(.*)(.*)(.*)(.*)[^a]{3}$",
    "(a|aa)+$",
    "(x+x+)+y",
    "(?s)^(([a-z])+.)+[A-Z]$",
  ])("%s over 8,192 characters comes to its end", (value) => {
    expect(mismatch(value, `${"a".repeat(8_191)}b`)).toContain("does not match");
  });

  const fragments = ["a", ".", "?", "*", "+", "|", "(", ")", "(?:", "(?i)", "[^a]", "[a-z]", "\\pL", "\\b", "^", "$"];
  const counts = ["{0,50}", "{99}", "{1,}", "{20}", "{2,9}", "{0,100}"];
  const expressions = fc
    .array(fc.constantFrom(...fragments, ...counts), { minLength: 1, maxLength: 120 })
    .map((parts) => parts.join("").slice(0, 200));

  it("is at most 500 steps for each character, for all that the kind takes", () => {
    let compiled = 0;
    fc.assert(
      fc.property(expressions, fc.constantFrom(0, RE2JS.CASE_INSENSITIVE), (value, flags) => {
        fc.pre(TextCondition.safeParse({ operator: "RegularExpression", value }).success);
        const size = sizeOf(value, flags);
        compiled += size > 0 ? 1 : 0;
        return size <= mostInstructions;
      }),
      { numRuns: 5_000, maxSkipsPerRun: 1_000 },
    );
    expect(compiled).toBeGreaterThan(100);
  });

  it.each([
    "()*".repeat(66),
    ".?".repeat(100),
    `${"(.?)".repeat(46)}.{0,100}`,
    `${"()?".repeat(64)}a{0,99}`,
    "|".repeat(200),
  ])("is at most 500 steps for each character: %s", (value) => {
    expect(TextCondition.safeParse({ operator: "RegularExpression", value }).success).toBe(true);
    expect(sizeOf(value)).toBeGreaterThan(0);
    expect(sizeOf(value)).toBeLessThanOrEqual(mostInstructions);
  });
});

/** Instructions of a compiled expression; 0 where it is none. */
function sizeOf(value: string, flags = 0): number {
  try {
    return RE2JS.compile(value, flags).programSize();
  } catch {
    return 0;
  }
}
