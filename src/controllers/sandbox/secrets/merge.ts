import { reasons } from "../../../api/v1alpha1/reasons.ts";
import { secretLimits } from "../../../api/v1alpha1/secret-scopes.ts";
import { type Checked, checked, refused } from "../refusal.ts";
import { scopeProblem } from "./judge.ts";
import { bytesOf, foldedKey, type SecretEntry, type SecretScope } from "./scope.ts";

export interface MergedSecrets<Entry extends SecretEntry> {
  entries: readonly Entry[];
  /** What each scope contributes; one whose keys were all overridden is left out. */
  scopes: readonly SecretScope<Entry>[];
  /** Keys that more than one scope has. */
  overrides: readonly { key: string; winner: string; loser: string }[];
}

/** Merges scopes, weakest first: a later one's key replaces an earlier one's, compared without case. */
export function mergeScopes<Entry extends SecretEntry>(scopes: readonly SecretScope<Entry>[]): MergedSecrets<Entry> {
  const winners = new Map<string, { label: string; entry: Entry }>();
  const overrides = [];
  for (const { label, entries } of scopes) {
    for (const entry of entries) {
      const key = foldedKey(entry.key);
      const beaten = winners.get(key);
      if (beaten) overrides.push({ key: entry.key, winner: label, loser: beaten.label });
      winners.set(key, { label, entry });
    }
  }
  const won = [...winners.values()];
  const contributing = scopes.map(({ label }) => {
    return { label, entries: won.filter((one) => one.label === label).map(({ entry }) => entry) };
  });
  return {
    entries: won.map(({ entry }) => entry),
    scopes: contributing.filter(({ entries }) => entries.length > 0),
    overrides,
  };
}

/** Why a session's secrets are too large together, by scope; undefined when they are not. */
export function sessionSizeProblem({ entries, scopes }: MergedSecrets<SecretEntry>): string | undefined {
  const total = bytesOf(entries);
  if (total <= secretLimits.sessionBytes) return undefined;
  const parts = scopes
    .map(({ label, entries: own }) => ({ label, bytes: bytesOf(own), keys: own.length }))
    .sort((left, right) => right.bytes - left.bytes || (left.label < right.label ? -1 : 1))
    .map(({ label, bytes, keys }) => `${label} ${bytes} bytes (${keys} ${keys === 1 ? "key" : "keys"})`);
  return `the secrets of a session have ${total} bytes together and may have at most ${secretLimits.sessionBytes}: ${parts.join(", ")}`;
}

/** The secrets of one session, from its scopes, weakest first; or why no session may start with them. */
export function sessionSecrets<Entry extends SecretEntry>(
  scopes: readonly SecretScope<Entry>[],
): Checked<MergedSecrets<Entry>> {
  const merged = mergeScopes(scopes);
  const tooLarge = sessionSizeProblem(merged);
  if (tooLarge !== undefined) return refused(reasons.secretsTooLarge, tooLarge);
  for (const { label, entries } of scopes) {
    const problem = scopeProblem(entries);
    if (problem !== undefined) return refused(reasons.invalidSecret, `the Secret of scope ${label}: ${problem}`);
  }
  return checked(merged);
}
