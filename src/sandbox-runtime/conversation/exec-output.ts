import { z } from "zod";
import { protocolLimits } from "../../api/runtime/limits.ts";
import { plainText } from "../../api/runtime/text.ts";
import { cutStart, firstCharacters } from "../../lib/characters.ts";
import type { Tokens } from "./conversation.ts";
import type { CostCount } from "./cost-meter.ts";
import { AgentEvents } from "./agent-events.ts";
import { JsonBlock } from "./json-block.ts";
import { readResultDocument } from "./result-document.ts";
import { type ReportedResult, readResultLine, shownCharacters } from "./result-line.ts";

/** What the process has used so far. */
const UsageLine = z.object({
  usage: z.object({
    costUsd: z.unknown().optional(),
    inputTokens: z.unknown().optional(),
    outputTokens: z.unknown().optional(),
  }),
});
const Count = z.int().min(0);

/** Longer lines count as text but for a result at their end, in UTF-16 units. */
const longestJsonLine = 262_144;
/** Kept for a summary, in UTF-16 units. */
const tailUnits = 4 * protocolLimits.summaryCharacters;

/** What the output comes to. */
export interface Report {
  summary?: string;
  branch?: string;
  commit?: string;
  usage?: Tokens;
  /** What the agent says went wrong. */
  failure?: string;
  /** What explains a bad exit status. */
  trouble?: string;
  /** There is a result line, and nothing that could be the summary. */
  isSilent?: true;
}

/**
 * Reads standard output in the `exec` protocol. The last JSON line that is a result is the report, also where it is the end of
 * a list, or an object in many lines. Where that has no summary, it is the last message of the agent's events. Of JSON lines
 * with `usage` the highest of each number counts, costs at once. Other JSON lines are ignored, and the last lines of all other
 * text are the summary where there is none.
 */
export class ExecOutput {
  readonly #costs: Pick<CostCount, "take" | "refuse">;
  #line = "";
  /** Whether the current line is too long for JSON; only its end is kept. */
  #isLong = false;
  #tail = "";
  #reported: ReportedResult | undefined;
  readonly #tokens: Tokens = {};
  readonly #events = new AgentEvents();
  readonly #block = new JsonBlock();

  constructor(costs: Pick<CostCount, "take" | "refuse">) {
    this.#costs = costs;
  }

  take(text: string): void {
    const lines = text.split("\n");
    const last = lines.pop() ?? "";
    for (const line of lines) {
      this.#line += line;
      this.#boundLine();
      this.#endLine();
    }
    this.#line += last;
    this.#boundLine();
  }

  /** The report at the end of the output. */
  end(): Report {
    this.#endLine();
    this.#endBlock();
    const { branch, commit, failure } = this.#reported ?? {};
    const { trouble } = this.#events;
    const summary = this.#summary();
    const text = cutStart(plainText(summary, summary.length), protocolLimits.summaryCharacters);
    return {
      ...(text === "" ? {} : { summary: text }),
      ...(text === "" && this.#reported ? { isSilent: true } : {}),
      ...(branch === undefined ? {} : { branch: branch.slice(0, 1_024) }),
      ...(commit === undefined ? {} : { commit: commit.slice(0, 128) }),
      ...(failure === undefined ? {} : { failure }),
      ...(trouble === undefined ? {} : { trouble }),
      ...(Object.keys(this.#tokens).length === 0 ? {} : { usage: this.#tokens }),
    };
  }

  /** The last line of text after {@link end}; undefined where there is none, or a result. */
  get lastLine(): string | undefined {
    const line = lastLines(this.#tail).split("\n").at(-1) ?? "";
    return this.#reported || line === "" ? undefined : firstCharacters(line, shownCharacters);
  }

  /** What the report says; without a report, text goes before messages of the agent's events. */
  #summary(): string {
    const { said = "" } = this.#events;
    if (this.#reported?.summary !== undefined) return this.#reported.summary;
    const text = lastLines(this.#tail);
    return (this.#reported && said.trim() !== "") || text === "" ? said : text;
  }

  /** An endless line must not fill the memory. */
  #boundLine(): void {
    this.#isLong ||= this.#line.length > longestJsonLine;
    if (this.#line.length > 2 * longestJsonLine) this.#line = this.#line.slice(-longestJsonLine);
  }

  #endLine(): void {
    const line = this.#line;
    if (!this.#isLong && this.#block.takes(line)) {
      this.#line = "";
      const whole = this.#block.add(line);
      if (whole !== undefined) this.#endBlock(parse(whole));
      return;
    }
    this.#endBlock();
    if (this.#isLong) this.#takeLongLine(line);
    else this.#takeLine(line);
    this.#line = "";
    this.#isLong = false;
  }

  #takeLine(line: string): void {
    const json = jsonOf(line);
    const document = /^\s*(?:\[\s*)?\{/.test(json) ? parse(json) : undefined;
    if (document === undefined) {
      this.#addToTail(`${line}\n`);
      return;
    }
    for (const one of Array.isArray(document) ? document : [document]) this.#takeDocument(one);
  }

  /** The list of all that an agent has said may be long, and the result at its end is short. */
  #takeLongLine(line: string): void {
    const document = lastOfList(line.slice(-longestJsonLine));
    if (document === undefined || !this.#takeDocument(document)) this.#addToTail(`${line}\n`);
  }

  /** `document` is what the lines of the block are together; where that is no result, each is a line like others. */
  #endBlock(document?: unknown): void {
    const lines = this.#block.giveUp();
    if (document !== undefined && this.#takeDocument(document)) return;
    for (const line of lines) this.#takeLine(line);
  }

  /** Returns whether it is a result. */
  #takeDocument(document: unknown): boolean {
    const result = readResultLine(document) ?? readResultDocument(document) ?? this.#events.take(document);
    if (result) {
      this.#reported = result;
      const { costUsd, inputTokens, outputTokens } = result;
      this.#use({ costUsd, inputTokens, outputTokens });
    }
    const { usage } = UsageLine.safeParse(document).data ?? {};
    if (usage) this.#use(usage);
    return result !== undefined;
  }

  #use({ costUsd, ...tokens }: z.infer<typeof UsageLine>["usage"]): void {
    if (costUsd !== undefined) this.#costs.take(costUsd);
    for (const kind of ["inputTokens", "outputTokens"] as const) {
      if (tokens[kind] === undefined) continue;
      const { data } = Count.safeParse(tokens[kind]);
      if (data === undefined) this.#costs.refuse();
      else this.#tokens[kind] = Math.max(this.#tokens[kind] ?? 0, data);
    }
  }

  #addToTail(text: string): void {
    this.#tail = (this.#tail + text).slice(-tailUnits);
  }
}

function lastLines(text: string): string {
  const plain = plainText(text, text.length).trim();
  const end = cutStart(plain, protocolLimits.summaryCharacters);
  if (end === plain) return plain;
  // The first line may have lost its beginning; a single line stays.
  const firstBreak = end.indexOf("\n");
  return firstBreak < 0 ? end : `[…]${end.slice(firstBreak)}`;
}

/** A line without what terminals get beside it: escapes, a byte order mark, and what a carriage return had replaced. */
function jsonOf(line: string): string {
  if (!["\u001b", "\ufeff", "\r"].some((mark) => line.includes(mark))) return line;
  return plainText(line.trimEnd(), line.length).trimEnd().split("\n").at(-1) ?? "";
}

/** How a result begins in such a list. */
const resultBegin = '{"type":"result"';

/** The result at the end of a list of JSON objects, of which there may be the end alone. */
function lastOfList(text: string): unknown {
  const list = text.trimEnd();
  const begin = list.lastIndexOf(resultBegin);
  return begin < 0 || !list.endsWith("]") ? undefined : parse(list.slice(begin, -1));
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    return undefined;
  }
}
