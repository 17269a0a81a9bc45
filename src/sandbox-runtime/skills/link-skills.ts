import { lstat, mkdir, readdir, readFile, readlink, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { parseDocument } from "yaml";

export interface LinkedFrom {
  /** Holds a folder for each skill of the session. */
  skills: string;
  /** Holds a folder for each repository. */
  workspace: string;
  /** The agent's. */
  home: string;
}

/** Where agents look for skills, below the home: Claude Code in the first, Codex and Gemini CLI in the second, OpenCode in both. */
const homeFolders = [".claude/skills", ".agents/skills"];
/** Where they look below a repository, too. */
const repositoryFolders = [".claude/skills", ".agents/skills", ".opencode/skills"];

/**
 * Links the session's skills to where agents look for them, in the agent's container. A skill whose name a repository's or a
 * person's skill has is left out; returns the names of those.
 */
export async function linkSkills({ skills, workspace, home }: LinkedFrom): Promise<string[]> {
  const folders = homeFolders.map((folder) => join(home, folder));
  for (const folder of folders) {
    await mkdir(folder, { recursive: true });
    await removeLinks(folder, skills);
  }
  const repositories = await entriesOf(workspace);
  const searched = repositories.flatMap((name) => repositoryFolders.map((folder) => join(workspace, name, folder)));
  const taken = new Set((await Promise.all([...folders, ...searched].map(namesIn))).flat());
  const names = await entriesOf(skills);
  for (const name of names.filter((one) => !taken.has(one))) {
    for (const folder of folders) await symlink(join(skills, name), join(folder, name));
  }
  return names.filter((name) => taken.has(name));
}

/** A restored home has the links of the sandbox before. */
async function removeLinks(folder: string, target: string): Promise<void> {
  for (const name of await entriesOf(folder)) {
    const link = join(folder, name);
    const isOurs = (await lstat(link)).isSymbolicLink() && (await readlink(link)).startsWith(`${target}/`);
    if (isOurs) await rm(link);
  }
}

/** The skills that a folder holds: the names of their folders, and those that their own heads give them. */
async function namesIn(folder: string): Promise<string[]> {
  const names = await entriesOf(folder);
  const given = await Promise.all(names.map((name) => nameOf(join(folder, name, "SKILL.md"))));
  return [...names, ...given.filter((name) => name !== undefined)];
}

async function nameOf(skillFile: string): Promise<string | undefined> {
  const text = await readFile(skillFile, "utf8").catch(() => "");
  const [, head] = /^---\r?\n([\s\S]*?)\r?\n---/.exec(text) ?? [];
  if (head === undefined || head.length > longestHead) return undefined;
  try {
    const name: unknown = parseDocument(head, { logLevel: "silent" }).get("name");
    return typeof name === "string" ? name : undefined;
  } catch {
    return undefined;
  }
}

/** Characters of a head that is read. */
const longestHead = 65_536;

/** Names in a folder, sorted; none where there is no such folder. */
async function entriesOf(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch((): string[] => []);
  return names.sort();
}
