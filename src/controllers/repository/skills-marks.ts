import { conditionTypes, reasonMeanings, reasons, type Skill } from "../../api/v1alpha1/index.ts";
import type { Mark } from "../../domain/conditions.ts";
import { applies, type SkillTarget } from "../../domain/skills/applies.ts";
import { tooLargeProblem } from "../sandbox/skills/session-limits.ts";

/** Warns where a session on this target that takes all valid Skills would not start. */
export function skillsMarks(skills: readonly Skill[], target: SkillTarget): Mark[] {
  const sizes = skills
    .filter((skill) => applies(skill, target, { mode: "All" }))
    .flatMap(({ metadata: { name = "" }, status }) =>
      status?.bytes === undefined ? [] : [{ name, bytes: status.bytes }],
    );
  const problem = tooLargeProblem(sizes);
  if (problem === undefined) return [];
  const { remedy } = reasonMeanings.SkillsTooLarge;
  const message = `A session here that takes all Skills does not start: its ${problem}. ${remedy}`;
  return [{ type: conditionTypes.skillsTooLarge, status: "True", reason: reasons.skillsTooLarge, message }];
}
