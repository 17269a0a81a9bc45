import type { ConfigMapTexts } from "../../domain/skills/judge-skill.ts";

/** What is wrong with a Skill; both are sentences without a period. */
export interface SkillFault {
  /** Begins with the field or the file, such as `bin/run.sh`, and says the limit. */
  problem: string;
  /** What to do about it. */
  fix: string;
}

/** A Skill as it was found in a folder or a manifest; its spec may be anything. */
export interface SkillSource {
  /** The folder or file. */
  from: string;
  name: string | undefined;
  spec: Readonly<Record<string, unknown>>;
  /** Those that were found beside it. */
  configMaps: ReadonlyMap<string, ConfigMapTexts>;
  /** Found while it was read. */
  faults: readonly SkillFault[];
}
