import type { Skill } from "../../../api/v1alpha1/skill.ts";

/** Takes its texts, up to 1.5 MiB, out of a Skill, in place; whom it is for and its status stay. */
export function withoutContent(skill: Skill): Skill {
  skill.spec.body = "";
  delete skill.spec.files;
  return skill;
}
