import { z } from "zod";
import { protocolLimits } from "../../api/runtime/limits.ts";
import { plainText } from "../../api/runtime/text.ts";
import { cutStart } from "../../lib/characters.ts";
import type { Tokens } from "./conversation.ts";
import type { CostCount } from "./cost-meter.ts";
import { type ReportedResult, readResultLine } from "./result-line.ts";

/** What the process has used so far. */
const UsageLine = z.object({
  usage: z.object({
    costUsd: z.unknown().optional(),
    inputTokens: z.unknown().optional(),
    outputTokens: z.unknown().optional(),
  }),
});
const Count = z.int().min(0);

/** Longer lines count as text, in UTF-16 units. */
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
  /** There is a result line, and nothing that could be the summary. */
  isSilent?: true;
}

/**
 * Reads standard output in the `exec` protocol. The last JSON line of type `result` is the report, also where it is the end of a list. Of JSON lines with
 * `usage` the highest of each number counts, costs at once. Other JSON objects are ignored, and the last lines of all other
 * text are the summary where the report has none.
 */
export class ExecOutput {
  readonly #costs: Pick<CostCount, "take" | "refuse">;
  #line = "";
  /** Whether the current line is too long for JSON; its beginning is in the tail already. */
  #isLong = false;
  #tail = "";
  #reported: ReportedResult | undefined;
  readonly #tokens: Tokens = {};

  constructor(costs: Pick<CostCount, "take" | "refuse">) {
    this.#costs = costs;
  }

  take(text: string): void {
    const lines = text.split("\n");
    const last = lines.pop() ?? "";
    for (const line of lines) {
      this.#line += line;
      this.#endLine();
    }
    this.#line += last;
    // An endless line must not fill the memory.
    if (this.#line.length > longestJsonLine) {
      this.#addToTail(this.#line);
      this.#line = "";
      this.#isLong = true;
    }
  }

  /** The report at the end of the output. */
  end(): Report {
    this.#endLine();
    const { summary, branch, commit, failure } = this.#reported ?? {};
    const text = plainText(summary ?? lastLines(this.#tail), protocolLimits.summaryCharacters);
    return {
      ...(text === "" ? {} : { summary: text }),
      ...(text === "" && this.#reported ? { isSilent: true } : {}),
      ...(branch === undefined ? {} : { branch: branch.slice(0, 1_024) }),
      ...(commit === undefined ? {} : { commit: commit.slice(0, 128) }),
      ...(failure === undefined ? {} : { failure }),
      ...(Object.keys(this.#tokens).length === 0 ? {} : { usage: this.#tokens }),
    };
  }

  #endLine(): void {
    const line = this.#line;
    const mayBeJson = !this.#isLong && line.length <= longestJsonLine && /^\s*(?:\[\s*)?\{/.test(line);
    const document = mayBeJson ? parse(line) : undefined;
    this.#line = "";
    this.#isLong = false;
    if (document === undefined) {
      this.#addToTail(`${line}\n`);
      return;
    }
    for (const one of Array.isArray(document) ? document : [document]) this.#takeDocument(one);
  }

  #takeDocument(document: unknown): void {
    const result = readResultLine(document);
    if (result) {
      this.#reported = result;
      const { costUsd, inputTokens, outputTokens } = result;
      this.#use({ costUsd, inputTokens, outputTokens });
    }
    const { usage } = UsageLine.safeParse(document).data ?? {};
    if (usage) this.#use(usage);
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

function parse(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    return undefined;
  }
}
