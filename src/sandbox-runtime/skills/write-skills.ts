import { mkdir, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { SkillInSet } from "../../api/runtime/skill-set.ts";
import { allFilesOf, bytesIn } from "../../domain/skills/revision.ts";

/** Below the folder that both containers see: the skills, each in a folder of its name. */
export const skillsFolder = "current";

/**
 * Writes the skills into the folder that the agent's container mounts read-only, for all to read.
 * They appear there all at once.
 */
export async function writeSkills(directory: string, skills: readonly SkillInSet[]): Promise<void> {
  const unfinished = join(directory, `.${skillsFolder}`);
  for (const skill of skills) {
    for (const file of allFilesOf(skill)) {
      const path = join(unfinished, skill.name, file.path);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, bytesIn(file), { mode: file.executable ? 0o555 : 0o444, flag: "wx" });
    }
  }
  await rename(unfinished, join(directory, skillsFolder));
}
