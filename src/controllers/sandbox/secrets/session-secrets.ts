import { reasons } from "../../../api/v1alpha1/reasons.ts";
import { mergeScopes, type MergedSecrets, sessionSizeProblem } from "./merge.ts";
import { scopeProblem } from "./judge.ts";
import type { SecretEntry, SecretScope } from "./scope.ts";
import { type Checked, checked, refused } from "../refusal.ts";

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
