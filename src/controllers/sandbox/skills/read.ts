import type { SkillInSet } from "../../../api/runtime/skill-set.ts";
import { reasons } from "../../../api/v1alpha1/reasons.ts";
import type { SessionSkills } from "../../../api/v1alpha1/session.ts";
import { Skill } from "../../../api/v1alpha1/skill.ts";
import { applies } from "../../../domain/skills/applies.ts";
import { judgeSkill } from "../../../domain/skills/judge-skill.ts";
import { bytesOf } from "../../../domain/skills/revision.ts";
import { encodeSet } from "../../../domain/skills/skill-set.ts";
import type { KubeClient } from "../../../kube/client.ts";
import type { AttemptOwner } from "../owner.ts";
import { type Checked, checked, refused } from "../refusal.ts";
import { withoutContent } from "./without-content.ts";
import { findConfigMaps } from "./find-config-maps.ts";
import { piecesOf } from "./pieces.ts";
import { tooLargeProblem } from "./session-limits.ts";

/** The skills of an attempt. */
export interface StartSkills {
  /** As the owner's status has them from its first attempt on. */
  fixed: SessionSkills;
  /** Of a first attempt: what has to be stored. */
  content?: Buffer;
}

/**
 * The skills that an attempt gets: those of the owner's first attempt or, for that one, all valid Skills of the namespace
 * that apply, as they and their ConfigMaps are now; undefined: there are none. Who writes a Skill says by `appliesTo` which
 * sessions get it, so nobody's rights are asked for here (docs/adr/0146).
 */
export async function readSkills(
  client: Pick<KubeClient, "find" | "list">,
  { metadata: { namespace = "" }, spec, skills }: Pick<AttemptOwner, "metadata" | "spec" | "skills">,
  repositories: readonly string[],
): Promise<Checked<StartSkills | undefined>> {
  if (skills.isFixed) return checked(skills.set && { fixed: skills.set });
  const target = { repositories, environment: spec.target.environmentRef?.name };
  const isForIt = (skill: Skill): boolean => applies(skill, target, spec.skills ?? { mode: "All" });
  const applying = await listApplying(client, namespace, isForIt);
  const found = [];
  for (const { metadata, spec: content } of applying) {
    const configMaps = await findConfigMaps(client, namespace, content);
    const judged = judgeSkill(metadata.name ?? "", content, configMaps);
    // What is wrong with the others says their own condition.
    if (judged.ok) found.push(judged.revision.skill);
  }
  return setOf(found);
}

/** Of Skills that do not apply no content is held while the next page is read. */
async function listApplying(
  client: Pick<KubeClient, "list">,
  namespace: string,
  isForIt: (skill: Skill) => boolean,
): Promise<Skill[]> {
  const transform = (skill: Skill): Skill => (isForIt(skill) ? skill : withoutContent(skill));
  const { items } = await client.list(Skill, { namespace, transform });
  return items.filter(isForIt);
}

function setOf(skills: readonly SkillInSet[]): Checked<StartSkills | undefined> {
  if (skills.length === 0) return checked(undefined);
  const sizes = skills.map((skill) => ({ name: skill.name, bytes: bytesOf(skill) }));
  const problem = tooLargeProblem(sizes);
  if (problem !== undefined) return refused(reasons.skillsTooLarge, `the session's ${problem}`);
  const { content, digest } = encodeSet(skills);
  const names = skills.map(({ name }) => name).sort();
  const bytes = sizes.reduce((sum, one) => sum + one.bytes, 0);
  return checked({ fixed: { digest, names, bytes, pieces: piecesOf(content).length }, content });
}
