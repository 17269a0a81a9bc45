import { z } from "zod";
import { plainText } from "../../api/runtime/text.ts";
import { own, type ReportedResult, shownCharacters } from "./result-line.ts";

const Tokens = own(z.int().min(0));
const Model = own(z.object({ tokens: own(z.object({ prompt: Tokens, candidates: Tokens })) }));

/** What Gemini CLI writes with `--output-format json`, in many lines. */
const ResultDocument = z.object({
  type: z.undefined().optional(),
  session_id: own(z.string()),
  response: own(z.string()),
  stats: own(z.object({ models: own(z.record(z.string(), Model)) })),
  error: own(z.object({ message: z.string() })),
});

/** Reads such a document; undefined for JSON that is none. */
export function readResultDocument(document: unknown): ReportedResult | undefined {
  const { data } = ResultDocument.safeParse(document);
  if (!data || (data.session_id === undefined && data.stats === undefined)) return undefined;
  const { response, stats, error } = data;
  if (response === undefined && error === undefined) return undefined;
  const models = Object.values(stats?.models ?? {});
  return {
    summary: response,
    failure: error && (plainText(error.message, shownCharacters).trim() || "error"),
    inputTokens: sumOf(models.map((model) => model?.tokens?.prompt)),
    outputTokens: sumOf(models.map((model) => model?.tokens?.candidates)),
  };
}

/** Undefined where no number is known. */
function sumOf(numbers: readonly (number | undefined)[]): number | undefined {
  const known = numbers.filter((number) => number !== undefined);
  return known.length === 0 ? undefined : known.reduce((all, one) => all + one, 0);
}
