import { createHash } from "node:crypto";

import type { IdempotencyKeyFrom } from "../../api/v1alpha1/index.ts";
import { countCharacters } from "../../lib/characters.ts";
import { compilePath, resolvePath } from "../filters/path.ts";
import { idempotencyKeyOf } from "./payload.ts";

/** Characters of a key that is made of headers and paths; a Run holds the digest of a longer one. */
const longestPlainKey = 4_096;
/** What digests begin with, and no plain key does. */
const digestMark = "runwright-sha256:";

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
  return shortened(parts.length === 1 ? String(parts[0]) : JSON.stringify(parts));
}

function shortened(key: string): string {
  if (countCharacters(key) <= longestPlainKey && !key.startsWith(digestMark)) return key;
  // UTF-16, as in JSON strings: UTF-8 would make all unpaired surrogates equal.
  const digest = createHash("sha256").update(Buffer.from(key, "utf16le")).digest("hex");
  return `${digestMark}${digest}`;
}

/** Where a key is read, for people. */
export function describeKeySource({ header, paths = [] }: IdempotencyKeyFrom): string {
  return [...(header === undefined ? [] : [`the header ${header}`]), ...paths].join(" and ");
}
