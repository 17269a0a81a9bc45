import type { SkillInSet } from "../../../api/runtime/skill-set.ts";
import { skillLimits } from "../../../api/v1alpha1/skill-limits.ts";
import { reasons } from "../../../api/v1alpha1/reasons.ts";
import type { SessionSkills } from "../../../api/v1alpha1/session.ts";
import { Skill } from "../../../api/v1alpha1/skill.ts";
import { applies } from "./applies.ts";
import { bytesOf, revisionOf, revisionProblem } from "../../../domain/skills/revision.ts";
import { encodeSet, setBytes } from "../../../domain/skills/skill-set.ts";
import type { AttemptOwner } from "../owner.ts";
import { type Checked, checked, refused } from "../refusal.ts";
import { type Account, checkAllowed, type StartRightsDeps } from "../start/rights.ts";
import { piecesOf } from "./pieces.ts";

/** The skills of an attempt. */
export interface StartSkills {
  /** As the owner's status has them from its first attempt on. */
  fixed: SessionSkills;
  /** Of a first attempt: what has to be stored. */
  content?: Buffer;
}

/**
 * The skills that an attempt gets: those of the owner's first attempt or, for that one, all valid Skills of the namespace
 * that apply, as they are now. The account must be allowed to list them; undefined: there are none.
 */
export async function readSkills(
  deps: StartRightsDeps,
  { spec, skills }: Pick<AttemptOwner, "spec" | "skills">,
  account: Account,
  repositories: readonly string[],
): Promise<Checked<StartSkills | undefined>> {
  if (skills.isFixed) return checked(skills.set && { fixed: skills.set });
  const { items } = await deps.client.list(Skill, { namespace: account.namespace });
  const target = { repositories, environment: spec.target.environmentRef?.name };
  const found = items
    .filter((skill) => applies(skill, target, spec.skills ?? { mode: "All" }))
    .map(({ metadata, spec: content }) => revisionOf(metadata.name ?? "", content).skill)
    // What is wrong with the others says their own condition.
    .filter((skill) => revisionProblem(skill) === undefined);
  if (found.length === 0) return checked(undefined);
  const allowed = await checkAllowed(deps, account, { verb: "list", resource: "skills" });
  if (!allowed.ok) return allowed;
  return setOf(found);
}

function setOf(skills: readonly SkillInSet[]): Checked<StartSkills> {
  const bytes = setBytes(skills);
  if (bytes > skillLimits.sessionBytes) {
    const largest = skills.toSorted((left, right) => bytesOf(right) - bytesOf(left)).slice(0, mostNamed);
    const named = largest.map((skill) => `${skill.name} ${bytesOf(skill)}`).join(", ");
    const limit = `the limit is ${skillLimits.sessionBytes}`;
    return refused(reasons.skillsTooLarge, `the session's skills are ${bytes} bytes, ${limit}; the largest: ${named}`);
  }
  if (skills.length > mostSkills) {
    return refused(
      reasons.skillsTooLarge,
      `${skills.length} Skills apply to the session, which has at most ${mostSkills}`,
    );
  }
  const { content, digest } = encodeSet(skills);
  const names = skills.map(({ name }) => name).sort();
  return checked({ fixed: { digest, names, bytes, pieces: piecesOf(content).length }, content });
}

/** Names of them fit the status. */
const mostSkills = 1_000;
/** Of the largest skills, in a message. */
const mostNamed = 5;
