import { mkdir, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { SkillInSet } from "../../api/runtime/skill-set.ts";
import { allFilesOf } from "../../domain/skills/revision.ts";

/** Below the folder that both containers see: the skills, each in a folder of its name. */
export const skillsFolder = "current";

/**
 * Writes the skills into the folder that the agent's container mounts read-only, for all to read.
 * They appear there all at once.
 */
export async function writeSkills(directory: string, skills: readonly SkillInSet[]): Promise<void> {
  const unfinished = join(directory, `.${skillsFolder}`);
  for (const skill of skills) {
    for (const { path, content, executable } of allFilesOf(skill)) {
      const file = join(unfinished, skill.name, path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, content, { mode: executable ? 0o555 : 0o444, flag: "wx" });
    }
  }
  await rename(unfinished, join(directory, skillsFolder));
}
