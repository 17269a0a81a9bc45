import type { Skill, SkillSelection } from "../../api/v1alpha1/skill.ts";

/** What a session works on. */
export interface SkillTarget {
  /** Names of its Repositories, of an Environment's too. */
  repositories: readonly string[];
  environment?: string | undefined;
}

/** Whether a new session on this target gets a skill; a selection narrows what applies and never widens it. */
export function applies(
  { metadata: { name = "", deletionTimestamp }, spec }: Pick<Skill, "metadata" | "spec">,
  target: SkillTarget,
  { mode, names = [] }: SkillSelection,
): boolean {
  if (spec.suspend || deletionTimestamp !== undefined || mode === "None") return false;
  if (mode === "Names" && !names.includes(name)) return false;
  return isFor(spec.appliesTo, target);
}

function isFor(
  { all, repositories = [], environments = [] }: Skill["spec"]["appliesTo"],
  target: SkillTarget,
): boolean {
  return (
    all ||
    target.repositories.some((repository) => repositories.includes(repository)) ||
    (target.environment !== undefined && environments.includes(target.environment))
  );
}
