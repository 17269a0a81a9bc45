import { isReservedSecretKey, secretKeyPattern, secretLimits } from "../../../api/v1alpha1/secret-scopes.ts";
import { bytesOf, foldedKey, type SecretEntry } from "./scope.ts";

/** As many as a person fixes at once. */
const mostNamed = 5;

/**
 * What is wrong with a stored scope, by key; undefined when nothing is. The API server refuses such writes, but its
 * policies may be absent or have come later than the Secret.
 */
export function scopeProblem(entries: readonly SecretEntry[]): string | undefined {
  const { keysPerScope, scopeBytes } = secretLimits;
  const count = entries.length;
  const bytes = bytesOf(entries);
  const problems = [
    count > keysPerScope ? `it has ${count} keys and may have at most ${keysPerScope}` : undefined,
    ...entries.map(keyProblem),
    ...twinProblems(entries),
    bytes > scopeBytes ? `its values have ${bytes} bytes together and may have at most ${scopeBytes}` : undefined,
  ];
  const found = problems.filter((problem) => problem !== undefined);
  if (found.length === 0) return undefined;
  const more = found.length > mostNamed ? [`and ${found.length - mostNamed} more`] : [];
  return [...found.slice(0, mostNamed), ...more].join("; ");
}

function keyProblem({ key, bytes }: SecretEntry): string | undefined {
  const { valueBytes } = secretLimits;
  if (!secretKeyPattern.test(key)) {
    return `${key} is not made of letters, digits and underscores, or begins with a digit`;
  }
  if (isReservedSecretKey(key)) return `${key} is reserved for the platform`;
  return bytes > valueBytes ? `the value of ${key} has ${bytes} bytes and may have at most ${valueBytes}` : undefined;
}

function twinProblems(entries: readonly SecretEntry[]): string[] {
  const first = new Map<string, string>();
  return entries.flatMap(({ key }) => {
    const folded = foldedKey(key);
    const twin = first.get(folded);
    if (twin !== undefined) return [`${twin} and ${key} differ only in case and are one key`];
    first.set(folded, key);
    return [];
  });
}
