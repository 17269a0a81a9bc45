import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CostMeter } from "./cost-meter.ts";
import { ExecOutput } from "./exec-output.ts";

function aMeter(): CostMeter {
  return new CostMeter({ changed: () => undefined, refused: () => undefined });
}

function read(...pieces: string[]): object {
  const output = new ExecOutput(aMeter().begin());
  for (const piece of pieces) output.take(piece);
  return output.end();
}

const report = '{"type":"result","summary":"said","branch":"b","commit":"c"}';

it.each([
  { name: "nothing", pieces: [], want: {} },
  { name: "blank lines", pieces: ["\n \n"], want: {} },
  { name: "text", pieces: ["one\ntwo\n"], want: { summary: "one\ntwo" } },
  { name: "text without an end", pieces: ["one\ntw", "o"], want: { summary: "one\ntwo" } },
  { name: "a report", pieces: [report], want: { summary: "said", branch: "b", commit: "c" } },
  {
    name: "a report in pieces",
    pieces: [report.slice(0, 9), report.slice(9), "\n"],
    want: { summary: "said", branch: "b", commit: "c" },
  },
  {
    name: "the last of two reports",
    pieces: [`${report}\n{"type":"result","branch":"x"}\n`],
    want: { branch: "x", isSilent: true },
  },
  {
    name: "a report without summary beside text",
    pieces: ['text\n{"type":"result","branch":"x"}'],
    want: { summary: "text", branch: "x" },
  },
  { name: "other JSON lines", pieces: ['{"type":"text","text":"hidden"}\nshown\n{}\n'], want: { summary: "shown" } },
  { name: "a report of wrong types", pieces: ['{"type":"result","summary":5}\nshown'], want: { summary: "shown" } },
  { name: "a line that only looks like JSON", pieces: ["{oops\n"], want: { summary: "{oops" } },
  { name: "an empty summary", pieces: ['text\n{"type":"result","summary":""}'], want: { isSilent: true } },
])("makes of $name", ({ pieces, want }) => {
  expect(read(...pieces)).toEqual(want);
});

it.each([
  { length: 4_096, mark: "" },
  { length: 4_097, mark: "[…] " },
])("keeps the last 4,096 of $length characters of one line", ({ length, mark }) => {
  expect(read(`${"x".repeat(length - 1)}e`)).toEqual({ summary: `${mark}${"x".repeat(4_095 - mark.length)}e` });
});

it("keeps whole last lines where text is too long", () => {
  const { summary } = read(`${"a".repeat(3_000)}\n${"b".repeat(3_000)}\nend`) as { summary: string };
  expect(summary).toBe(`[…]\n${"b".repeat(3_000)}\nend`);
});

it("takes a line beyond 256 KiB for text, without keeping all of it", () => {
  expect(read(`{"type":"result","summary":"${"x".repeat(262_144)}"}\n`, "end")).toEqual({
    summary: "[…]\nend",
  });
});

describe("the result of Claude Code", () => {
  const success = {
    type: "result",
    subtype: "success",
    is_error: false,
    duration_ms: 1_200,
    num_turns: 3,
    result: "Fixed it.",
    session_id: "0d3c",
    total_cost_usd: 0.0625,
    usage: { input_tokens: 4, cache_read_input_tokens: 900, output_tokens: 80 },
    permission_denials: [],
  };
  const usage = { inputTokens: 4, outputTokens: 80 };
  it.each([
    { name: "is its text", change: {}, want: { summary: "Fixed it.", usage } },
    { name: "may have our branch", change: { branch: "b" }, want: { summary: "Fixed it.", branch: "b", usage } },
    {
      name: "is a failure with the text where it says so",
      change: { is_error: true, result: "API Error: 401 invalid key" },
      want: { summary: "API Error: 401 invalid key", failure: "API Error: 401 invalid key", usage },
    },
    {
      name: "is a failure with its errors before its text",
      change: { is_error: true, subtype: "error_during_execution", errors: ["", "no such model"], result: "x" },
      want: { summary: "x", failure: "no such model", usage },
    },
    {
      name: "is a failure of its kind where it says no more",
      change: { is_error: undefined, subtype: "error_max_turns", result: undefined },
      want: { failure: "error_max_turns", isSilent: true, usage },
    },
    { name: "has no text", change: { result: undefined }, want: { isSilent: true, usage } },
    {
      name: "of another program may have anything for its members",
      change: { result: {}, is_error: "no", errors: 7, usage: { input_tokens: -1 }, subtype: null, summary: "said" },
      want: { summary: "said" },
    },
  ])("$name", ({ change, want }) => {
    const line = JSON.stringify({ ...success, ...change });
    expect(read(`${line}\n`)).toEqual(want);
    // With `--verbose` it is the end of a list.
    expect(read(`[${JSON.stringify({ type: "system", subtype: "init" })},${line}]`)).toEqual(want);
  });

  it.each([
    { cost: 0.0625, costUsd: 0.0625, refused: 0 },
    { cost: undefined, costUsd: 0, refused: 0 },
    { cost: -1, costUsd: 0, refused: 1 },
  ])("with a cost of $cost costs $costUsd", ({ cost, costUsd, refused }) => {
    let refusals = 0;
    const meter = new CostMeter({ changed: () => undefined, refused: () => (refusals += 1) });
    new ExecOutput(meter.begin()).take(`${JSON.stringify({ ...success, total_cost_usd: cost })}\n`);
    expect([meter.reading.costUsd, refusals]).toEqual([costUsd, refused]);
  });

  it("shows 300 characters of what went wrong", () => {
    const failures = [299, 300, 301].map((length) => {
      const { failure = "" } = read(JSON.stringify({ ...success, is_error: true, result: "x".repeat(length) })) as {
        failure?: string;
      };
      return failure.length;
    });
    expect(failures).toEqual([299, 300, 300]);
  });
});

it("says the same however the text is cut", () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom("a", "\n", "{", "}", report, "\n\n", "é")),
      fc.infiniteStream(fc.nat(5)),
      (parts, sizes) => {
        const text = parts.join("");
        const pieces: string[] = [];
        for (let rest = text; rest !== "";) {
          const size = 1 + Number(sizes.next().value);
          pieces.push(rest.slice(0, size));
          rest = rest.slice(size);
        }
        expect(read(...pieces)).toEqual(read(text));
      },
    ),
  );
});

describe("usage", () => {
  function used(...lines: string[]): { costUsd: number; refusals: number; usage: unknown } {
    let refusals = 0;
    const meter = new CostMeter({ changed: () => undefined, refused: () => (refusals += 1) });
    const output = new ExecOutput(meter.begin());
    for (const line of lines) output.take(`${line}\n`);
    const { usage } = output.end();
    return { costUsd: meter.reading.costUsd, refusals, usage };
  }

  it.each([
    { name: "nothing", lines: ["text", '{"type":"result"}'], want: { costUsd: 0, refusals: 0 } },
    {
      name: "lines of which the highest of each number counts",
      lines: [
        '{"usage":{"costUsd":0.5,"inputTokens":7}}',
        '{"usage":{"costUsd":0.25,"inputTokens":9,"outputTokens":2}}',
        '{"usage":{"inputTokens":8}}',
      ],
      want: { costUsd: 0.5, refusals: 0, usage: { inputTokens: 9, outputTokens: 2 } },
    },
    {
      name: "the report's line",
      lines: ['{"type":"result","summary":"s","usage":{"costUsd":1}}'],
      want: { costUsd: 1, refusals: 0 },
    },
    {
      name: "members of other programs",
      lines: ['{"usage":"run this"}', '{"usage":{"input_tokens":-1}}', '{"message":{"usage":{"costUsd":1}}}'],
      want: { costUsd: 0, refusals: 0 },
    },
    {
      name: "amounts that are none",
      lines: ['{"usage":{"costUsd":-1}}', '{"usage":{"costUsd":"0.5"}}', '{"usage":{"costUsd":1e99}}'],
      want: { costUsd: 0, refusals: 3 },
    },
    {
      name: "tokens that are none beside a cost",
      lines: ['{"usage":{"costUsd":1,"inputTokens":-1,"outputTokens":0.5}}'],
      want: { costUsd: 1, refusals: 2 },
    },
  ])("of $name", ({ lines, want }) => {
    expect(used(...lines)).toEqual({ usage: undefined, ...want });
  });

  it("is counted before the output ends", () => {
    const meter = aMeter();
    new ExecOutput(meter.begin()).take('{"usage":{"costUsd":0.5}}\n');
    expect(meter.reading.costUsd).toBe(0.5);
  });
});
