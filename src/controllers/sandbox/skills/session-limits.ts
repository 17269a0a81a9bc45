import { skillLimits } from "../../../api/v1alpha1/skill-limits.ts";

/** Names of them fit a session's status. */
const mostSkills = 1_000;
/** Of the largest skills, in a message. */
const mostNamed = 5;

/** Why no session may have all of these skills; undefined: one may. The message goes on after "the session's". */
export function tooLargeProblem(skills: readonly { name: string; bytes: number }[]): string | undefined {
  const bytes = skills.reduce((sum, one) => sum + one.bytes, 0);
  if (bytes > skillLimits.sessionBytes) {
    const largest = skills.toSorted(byBytesAndName).slice(0, mostNamed);
    const named = largest.map((one) => `${one.name} ${one.bytes}`).join(", ");
    return `skills are ${bytes} bytes, the limit is ${skillLimits.sessionBytes}; the largest: ${named}`;
  }
  if (skills.length > mostSkills) return `skills are ${skills.length}, the limit is ${mostSkills}`;
  return undefined;
}

/** The largest first, and of those alike by name: caches have no order, and the message is not to change with theirs. */
function byBytesAndName(left: { name: string; bytes: number }, right: { name: string; bytes: number }): number {
  return right.bytes - left.bytes || left.name.localeCompare(right.name);
}
