import { z } from "zod";
import { plainText } from "../../api/runtime/text.ts";

/** Of the agent's own words that explain a failure. */
export const shownCharacters = 300;

/** Members that are not ours may be anything. */
export const own = <T extends z.ZodType>(schema: T) => schema.optional().catch(undefined);

/** As Claude Code, Codex and Gemini CLI have them. */
export const reportedTokens = own(z.object({ input_tokens: own(z.int().min(0)), output_tokens: own(z.int().min(0)) }));

/**
 * The line that ends an agent's output: our form (`summary`, `branch`, `commit`), the one that Claude Code, and agents that
 * follow it, write with `--output-format json`, or that of Gemini CLI with `stream-json` (`status`, `error`, `stats`).
 */
const ResultLine = z.object({
  type: z.literal("result"),
  summary: z.string().optional(),
  branch: z.string().optional(),
  commit: z.string().optional(),
  result: own(z.string()),
  is_error: own(z.boolean()),
  /** Such as `success` or `error_max_turns`. */
  subtype: own(z.string()),
  errors: own(z.array(z.string())),
  total_cost_usd: own(z.unknown()),
  usage: reportedTokens,
  status: own(z.string()),
  error: own(z.object({ message: own(z.string()) })),
  stats: reportedTokens,
});

type Line = z.infer<typeof ResultLine>;

export interface ReportedResult {
  summary?: string | undefined;
  branch?: string | undefined;
  commit?: string | undefined;
  /** What the agent says went wrong; undefined where it says nothing of the kind. */
  failure?: string | undefined;
  /** As reported. */
  costUsd?: unknown;
  inputTokens?: number | undefined;
  outputTokens?: number | undefined;
}

/** Reads a result line; undefined for JSON that is none. */
export function readResultLine(document: unknown): ReportedResult | undefined {
  const { data } = ResultLine.safeParse(document);
  if (!data) return undefined;
  const { result, usage, stats, total_cost_usd: costUsd, branch, commit } = data;
  return {
    summary: data.summary ?? result,
    branch,
    commit,
    failure: failureOf(data),
    costUsd,
    inputTokens: usage?.input_tokens ?? stats?.input_tokens,
    outputTokens: usage?.output_tokens ?? stats?.output_tokens,
  };
}

function isFailure({ is_error, status, subtype }: Line): boolean {
  return is_error ?? (status === "error" || (subtype?.startsWith("error") ?? false));
}

function failureOf(line: Line): string | undefined {
  if (!isFailure(line)) return undefined;
  const { subtype, status, errors = [], error, result } = line;
  const said = [...errors, error?.message, result, subtype, status].map((text = "") =>
    plainText(text, shownCharacters).trim(),
  );
  return said.find((text) => text !== "") ?? "";
}
