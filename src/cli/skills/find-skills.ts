import { stat } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { readInput } from "../arguments/read-input.ts";
import type { JudgedSource } from "./judge-source.ts";
import { readSkillFolders } from "./skill-folder.ts";
import { readSkillManifests } from "./skill-manifest.ts";
import type { SkillSource } from "./skill-source.ts";

/** The Skills of a folder, or of a file or standard input (`-`) with manifests. @throws CliError where there is none */
export async function findSkills(path: string): Promise<SkillSource[]> {
  if (path === "-") return readSkillManifests("standard input", (await readInput(path)).toString("utf8"));
  if (basename(path) === "SKILL.md") return readSkillFolders(dirname(path));
  if (await isFolder(path)) return readSkillFolders(path);
  return readSkillManifests(path, (await readInput(path)).toString("utf8"));
}

async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isDirectory() ?? false;
}

/** All that is wrong, a line each. */
export function faultLines(skills: readonly JudgedSource[]): string[] {
  return skills.flatMap(({ from, faults }) => faults.map(({ problem, fix }) => `${from}: ${problem}. ${fix}.`));
}
