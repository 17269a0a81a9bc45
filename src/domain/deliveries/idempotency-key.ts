import type { IdempotencyKeyFrom } from "../../api/v1alpha1/index.ts";
import { countCharacters } from "../../lib/characters.ts";
import { compilePath, resolvePath } from "../filters/path.ts";
import { idempotencyKeyOf } from "./payload.ts";

/** Characters of a key that is made of headers and paths; of a longer one too much would have to be stored. */
export const longestJoinedKey = 4_096;

/** What a key is read from: the body's JSON value, and headers with names in lower case. */
export interface KeyedRequest {
  value: unknown;
  headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** Reads the key of an event; undefined where there is none, so that each delivery is an event of its own. */
export type IdempotencyKeyReader = (request: KeyedRequest) => string | undefined;

/** The reader for an Automation's settings; without any it is the sender's own key in the body. */
export function idempotencyKeyReader(from: IdempotencyKeyFrom | undefined): IdempotencyKeyReader {
  if (!from) return ({ value }) => idempotencyKeyOf(value);
  const header = from.header?.toLowerCase();
  const paths = (from.paths ?? []).map(compilePath);
  return ({ value, headers }) => {
    const parts = [
      ...(header === undefined ? [] : [headers[header]]),
      ...paths.map((steps) => steps && valueAt(value, steps)),
    ];
    return joined(parts);
  };
}

function valueAt(body: unknown, steps: readonly string[]): unknown {
  const found = resolvePath(body, steps);
  return "value" in found ? found.value : undefined;
}

/** One part is the key as it is; several are a JSON array of them, so that no two lists of parts give one key. */
function joined(parts: readonly unknown[]): string | undefined {
  const isWhole = parts.every((part) => typeof part === "string" && part !== "");
  if (!isWhole) return undefined;
  const key = parts.length === 1 ? String(parts[0]) : JSON.stringify(parts);
  return countCharacters(key) <= longestJoinedKey ? key : undefined;
}

/** Where a key is read, for people. */
export function describeKeySource({ header, paths = [] }: IdempotencyKeyFrom): string {
  return [...(header === undefined ? [] : [`the header ${header}`]), ...paths].join(" and ");
}
