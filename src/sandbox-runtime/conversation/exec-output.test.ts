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

it.each([
  { length: 262_143, want: { summary: `[…] ${"x".repeat(4_092)}` } },
  { length: 262_144, want: { summary: `[…] ${"x".repeat(4_092)}` } },
  { length: 262_145, want: { summary: "[…]\nend" } },
])("a report of $length characters at the end of a longer list", ({ length, want }) => {
  const begin = '{"type":"result","summary":"';
  const last = `${begin}${"x".repeat(length - begin.length - 3)}"}`;
  const text = `[${"{},".repeat(100_000)}${last}]\nend`;
  const pieces = text.match(/[^]{1,60000}/g) ?? [];
  expect([read(text), read(...pieces)]).toEqual([want, want]);
});

it.each([4_095, 4_096, 4_097, 200_000])("keeps the end of a report with %i characters", (length) => {
  const said = `${"x".repeat(length - 1)}e`;
  const summary = length > 4_096 ? `[…] ${said.slice(-4_092)}` : said;
  expect(read(JSON.stringify({ type: "result", summary: said }))).toEqual({ summary });
  expect(read(JSON.stringify({ type: "result", result: said }))).toEqual({ summary });
  const codex = { type: "item.completed", item: { type: "agent_message", text: said } };
  expect(read(`${JSON.stringify(codex)}\n${JSON.stringify({ type: "turn.completed" })}`)).toEqual({ summary });
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

it.each([
  { name: "colours", line: `\u001b[0m${report}\u001b[?25h` },
  { name: "a title", line: `\u001b]0;agent\u0007${report}` },
  { name: "a byte order mark", line: `\ufeff${report}` },
  { name: "progress in its line", line: `10%\r\u001b[K100%\r${report}` },
  { name: "another line end", line: `${report}\r` },
])("reads a report with $name", ({ line }) => {
  expect(read(`text\n${line}\n`)).toEqual({ summary: "said", branch: "b", commit: "c" });
});

it.each([
  { name: "a JSON object that is none", line: '\u001b[1m{"a":1}\u001b[0m', want: {} },
  { name: "text", line: "\u001b[1m{a\u001b[0m", want: { summary: "{a" } },
])("reads no report in a coloured line with $name", ({ line, want }) => {
  expect(read(`${line}\n`)).toEqual(want);
});

describe.each([262_143, 262_144, 262_145, 524_289, 3_000_000])("a list of %i characters in one line", (length) => {
  const begin = '[{"type":"system"},{"type":"user","text":"';
  const listOf = (last: string): string => {
    const end = `"},${last}]`;
    return `${begin}${"x".repeat(length - begin.length - end.length)}${end}`;
  };
  const pieces = (text: string): string[] => text.match(/[^]{1,65536}/g) ?? [];

  it.each(["\n", "\r\n", ""])("has its report at its end, before %j", (lineEnd) => {
    const said = { summary: "said", branch: "b", commit: "c" };
    expect(read(...pieces(`${listOf(report)}${lineEnd}`))).toEqual(said);
    expect(read(`text\n${listOf(report)}${lineEnd}`)).toEqual(said);
  });

  it("has none where the report is not last", () => {
    expect(read(listOf(`${report},{"type":"text"}`), "\nend")).toMatchObject(
      length > 262_144 ? { summary: "[…]\nend" } : { summary: "said" },
    );
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

const lines = (...documents: object[]): string => documents.map((one) => `${JSON.stringify(one)}\n`).join("");

describe("the result of Codex", () => {
  const started = { type: "thread.started", thread_id: "019e" };
  const said = (text: string) => ({ type: "item.completed", item: { id: "item_0", type: "agent_message", text } });
  const tool = {
    type: "item.completed",
    item: { id: "item_1", type: "command_execution", command: "ls", aggregated_output: "{}", exit_code: 0 },
  };
  const completed = { type: "turn.completed", usage: { input_tokens: 12, cached_input_tokens: 3, output_tokens: 8 } };
  const failed = { type: "turn.failed", error: { message: "unexpected status 401" } };
  const trouble = (message: string) => ({ type: "error", message });
  const usage = { inputTokens: 12, outputTokens: 8 };

  it.each([
    {
      name: "is its last message",
      events: [started, { type: "turn.started" }, said("I look."), tool, said("Fixed it."), completed],
      want: { summary: "Fixed it.", usage },
    },
    { name: "has no message", events: [started, tool, completed], want: { isSilent: true, usage } },
    {
      name: "is a failure with its words",
      events: [started, said("I look."), trouble("unexpected status 401"), failed],
      want: { summary: "I look.", failure: "unexpected status 401", trouble: "unexpected status 401" },
    },
    {
      name: "is a failure with the last words where it has none",
      events: [started, trouble("no such model"), { type: "turn.failed" }],
      want: { failure: "no such model", trouble: "no such model", isSilent: true },
    },
    {
      name: "is a failure without words",
      events: [{ type: "turn.failed", error: { message: " " } }],
      want: { failure: "turn.failed", isSilent: true },
    },
    {
      name: "is no failure where a connection was made again",
      events: [started, trouble("Reconnecting... 2/5"), said("Fixed it."), completed],
      want: { summary: "Fixed it.", usage },
    },
    {
      name: "tells what was wrong when it ended early",
      events: [started, said("I look."), trouble("stream disconnected")],
      want: { summary: "I look.", trouble: "stream disconnected" },
    },
    {
      name: "tells nothing that it went on after",
      events: [started, trouble("Reconnecting... 2/5"), tool],
      want: {},
    },
    {
      name: "tells nothing that was wrong before its end",
      events: [started, said("Fixed it."), trouble("Reconnecting... 2/5"), completed],
      want: { summary: "Fixed it.", usage },
    },
    { name: "is not there in errors of other programs", events: [trouble("oops")], want: {} },
    {
      name: "may have anything for its members",
      events: [started, { type: "item.completed", item: 7 }, { ...completed, usage: { input_tokens: -1 } }],
      want: { isSilent: true },
    },
  ])("$name", ({ events, want }) => {
    expect(read(lines(...events))).toEqual(want);
  });

  it("goes before text that is no JSON, and text goes before messages without a result", () => {
    const noise = "Reading prompt from stdin...\n";
    expect(read(noise, lines(said("Fixed it."), completed))).toMatchObject({ summary: "Fixed it." });
    expect(read(noise, lines(said("I look.")))).toMatchObject({ summary: noise.trim() });
  });
});

describe("the result of Gemini CLI", () => {
  const tokens = (prompt: number, candidates: number) => ({ tokens: { prompt, candidates, total: 99, cached: 1 } });
  const stats = { models: { "gemini-a": tokens(10, 2), "gemini-b": tokens(5, 1) }, tools: { totalCalls: 1 } };
  const whole = { session_id: "s", response: "Fixed {\n}\nit.", stats };
  const usage = { inputTokens: 15, outputTokens: 3 };

  it.each([
    { name: "is its response", document: whole, want: { summary: "Fixed {\n}\nit.", usage } },
    { name: "has no response", document: { ...whole, response: "" }, want: { isSilent: true, usage } },
    {
      name: "is a failure with its words",
      document: { session_id: "s", error: { type: "Error", message: "no auth method", code: 41 } },
      want: { failure: "no auth method", isSilent: true },
    },
    {
      name: "is a failure without words",
      document: { session_id: "s", error: { message: "" } },
      want: { failure: "error", isSilent: true },
    },
    {
      name: "may have anything for its members",
      document: { ...whole, stats: { models: { a: null, b: { tokens: { prompt: -1, candidates: 0.5 } } } } },
      want: { summary: "Fixed {\n}\nit." },
    },
    {
      name: "has no tokens where they are too many for a number",
      document: { ...whole, stats: { models: { a: tokens(2 ** 53 - 1, 1), b: tokens(1, 1) } } },
      want: { summary: "Fixed {\n}\nit.", usage: { outputTokens: 2 } },
    },
  ])("$name", ({ document, want }) => {
    expect(read(`Loaded cached credentials.\n${JSON.stringify(document, null, 2)}\n`)).toEqual({
      ...want,
      ...textOf(want),
    });
    expect(read(JSON.stringify(document))).toEqual(want);
  });

  /** Where there is no response, text before it is the summary. */
  function textOf(want: object): object {
    return "isSilent" in want && !("usage" in want)
      ? { summary: "Loaded cached credentials.", isSilent: undefined }
      : {};
  }

  it.each([{ response: "x" }, { session_id: "s" }, { stats: {} }, { ...whole, type: "init" }])(
    "is not %j",
    (document) => expect(read(JSON.stringify(document))).toEqual({}),
  );

  const message = (content: string, delta?: boolean) => ({ type: "message", role: "assistant", content, delta });
  const tool = { type: "tool_use", tool_name: "run_shell_command", tool_id: "t", parameters: {} };
  const success = { type: "result", status: "success", stats: { total_tokens: 9, input_tokens: 7, output_tokens: 2 } };
  const used = { inputTokens: 7, outputTokens: 2 };

  it.each([
    {
      name: "is the message behind the last tool",
      events: [
        { type: "init", session_id: "s", model: "m" },
        { type: "message", role: "user", content: "Fix it" },
        message("I look. ", true),
        tool,
        message("Fixed ", true),
        message("it.", true),
        success,
      ],
      want: { summary: "Fixed it.", usage: used },
    },
    {
      name: "is a whole message",
      events: [message("One."), message("Two."), success],
      want: { summary: "Two.", usage: used },
    },
    { name: "has no message", events: [success], want: { isSilent: true, usage: used } },
    {
      name: "is a failure with its words",
      events: [message("I look.", true), { ...success, status: "error", error: { type: "E", message: "quota" } }],
      want: { summary: "I look.", failure: "quota", usage: used },
    },
    {
      name: "is a failure without words",
      events: [{ type: "result", status: "error" }],
      want: { failure: "error", isSilent: true },
    },
  ])("of stream-json $name", ({ events, want }) => {
    expect(read(lines(...events))).toEqual(want);
  });

  it("of stream-json keeps 4,096 characters of a message without an end", () => {
    const events = Array.from({ length: 20_000 }, () => message("x", true));
    expect(read(lines(...events, message("e", true), success))).toEqual({
      summary: `[…] ${"x".repeat(4_091)}e`,
      usage: used,
    });
  });
});

describe("an object in many lines", () => {
  it.each([
    {
      name: "our report",
      text: JSON.stringify(JSON.parse(report), null, 2),
      want: { summary: "said", branch: "b", commit: "c" },
    },
    { name: "text where it is no result", text: '{\n  "a": 1\n}', want: { summary: '{\n  "a": 1\n}' } },
    { name: "text where it is no JSON", text: "{\n  oops\n}\nend", want: { summary: "{\n  oops\n}\nend" } },
    { name: "text where it has no end", text: '{\n  "type": "result"', want: { summary: '{\n  "type": "result"' } },
    {
      name: "text where a line is not within it",
      text: `{\n  "a":\nmore\n${report}`,
      want: { summary: "said", branch: "b", commit: "c" },
    },
    { name: "lines where it is none", text: `{\n  ${report}\n}`, want: { summary: "said", branch: "b", commit: "c" } },
  ])("is $name", ({ text, want }) => {
    expect(read(text)).toEqual(want);
  });

  it.each([
    { units: 262_142, summary: "said" },
    { units: 262_143, summary: "said" },
    { units: 262_144, summary: '  "summary": "said"\n}' },
  ])("is read up to 262,143 units and not beyond: $units", ({ units, summary }) => {
    const [begin, end] = ['{\n  "type": "result",\n  "x": "', '",\n  "summary": "said"\n}'];
    const text = `${begin}${"x".repeat(units - begin.length - end.length)}${end}`;
    const found = read(text) as { summary: string };
    expect(found.summary.endsWith(summary)).toBe(true);
    expect(found.summary.length === 4).toBe(summary === "said");
  });
});

const events = [
  '{"type":"thread.started"}\n',
  '{"type":"item.completed","item":{"type":"agent_message","text":"one"}}\n',
  '{"type":"message","role":"assistant","content":"two","delta":true}\n',
  '{"type":"error","message":"three"}\n',
  '{"type":"turn.failed"}\n',
  '{"type":"result","status":"success"}\n',
  '\n{\n  "session_id": "s",\n  "response": "four"\n}\n',
];

it("says the same however the text is cut", () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom("a", "\n", "{", "}", "{\n", "\n}\n", "  ", report, ...events, "\n\n", "é")),
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

  it.each(["", "{\n", "{\n  text\n"])("is counted before the output ends, also behind %j", (before) => {
    const meter = aMeter();
    new ExecOutput(meter.begin()).take(`${before}{"usage":{"costUsd":0.5}}\n`);
    expect(meter.reading.costUsd).toBe(0.5);
  });
});
