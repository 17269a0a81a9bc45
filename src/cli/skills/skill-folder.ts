import { type Buffer, isUtf8 } from "node:buffer";
import type { Dirent } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { skillLimits } from "../../api/v1alpha1/skill-limits.ts";
import { compareBytes } from "../../domain/skills/compare-bytes.ts";
import { readFailure, unreadable } from "../arguments/unreadable.ts";
import { CliError } from "../cli-error.ts";
import { readSkillHead } from "./skill-head.ts";
import type { SkillFault, SkillSource } from "./skill-source.ts";

const skillFile = "SKILL.md";
/** Of version control and file managers. */
const leftOut: readonly string[] = [".git", ".DS_Store"];
/** Files and folders below a skill's folder; more are a mistake in the path. */
const mostEntries = 1_000;

/**
 * The skill of a folder with a SKILL.md, or those of its subfolders that have one.
 * @throws CliError where there is none
 */
export async function readSkillFolders(directory: string): Promise<SkillSource[]> {
  const entries = await entriesOf(directory);
  if (entries.some(({ name }) => name === skillFile)) return [await readSkillFolder(directory)];
  const found = [];
  for (const { name } of entries.filter((entry) => entry.isDirectory() && !leftOut.includes(entry.name))) {
    const folder = join(directory, name);
    if ((await entriesOf(folder)).some((entry) => entry.name === skillFile)) found.push(await readSkillFolder(folder));
  }
  if (found.length > 0) return found;
  throw new CliError(
    `neither ${directory} nor a folder in it has a SKILL.md\nName the folder of a skill, or one that holds folders of skills`,
  );
}

interface FolderFile {
  path: string;
  content: string;
  executable?: boolean;
}

async function readSkillFolder(directory: string): Promise<SkillSource> {
  const faults: SkillFault[] = [];
  const files: FolderFile[] = [];
  for (const path of await pathsIn(directory, faults)) {
    const file = await readSkillFileAt(directory, path, faults);
    if (file) files.push(file);
  }
  const text = files.find(({ path }) => path === skillFile)?.content;
  const head = text === undefined ? { fields: {}, body: "", faults: [] } : readSkillHead(text);
  const { name, ...fields } = head.fields;
  const others = files.filter(({ path }) => path !== skillFile);
  return {
    from: directory,
    name: typeof name === "string" ? name : undefined,
    spec: { ...fields, ...(head.body !== "" && { body: head.body }), ...(others.length > 0 && { files: others }) },
    configMaps: new Map(),
    faults: [...faults, ...head.faults],
  };
}

/** Paths of all files below a folder, in the order of their bytes. */
async function pathsIn(directory: string, faults: SkillFault[]): Promise<string[]> {
  const paths: string[] = [];
  let count = 0;
  const walk = async (prefix: string): Promise<void> => {
    for (const entry of await entriesOf(join(directory, prefix))) {
      if (leftOut.includes(entry.name)) continue;
      count += 1;
      if (count > mostEntries) {
        throw new CliError(
          `${directory} holds more than ${mostEntries} files and folders\nName the folder of a skill, and put what is no part of it elsewhere`,
        );
      }
      const path = `${prefix}${entry.name}`;
      if (entry.isDirectory()) await walk(`${path}/`);
      else if (isTaken(path, entry, faults)) paths.push(path);
    }
  };
  await walk("");
  return paths.sort(compareBytes);
}

function isTaken(path: string, entry: Dirent, faults: SkillFault[]): boolean {
  if (entry.name.includes("\ufffd")) {
    faults.push({ problem: `${path} has a name that is not UTF-8`, fix: "Rename it" });
  } else if (entry.isSymbolicLink()) {
    faults.push({ problem: `${path} is a symbolic link; a skill has only files`, fix: "Put the file in its place" });
  } else if (!entry.isFile()) {
    faults.push({ problem: `${path} is no file`, fix: "Remove it" });
  } else return true;
  return false;
}

/** Undefined where the file cannot be part of a skill; `faults` then says why. */
async function readSkillFileAt(directory: string, path: string, faults: SkillFault[]): Promise<FolderFile | undefined> {
  const found = await readBytes(join(directory, path)).catch((error: unknown) => {
    const { reason, fix = "Remove it" } = readFailure(error);
    faults.push({ problem: `${path} cannot be read: ${reason}`, fix });
  });
  if (!found) return undefined;
  const { size, mode, bytes } = found;
  if (!bytes) {
    const problem = `${path} is ${size} bytes; a file is at most ${skillLimits.fileBytes}`;
    faults.push({ problem, fix: "Shorten it, or split it into several files" });
    return undefined;
  }
  if (!isUtf8(bytes)) {
    const fix = "Put it into a ConfigMap (kubectl create configmap --from-file) and name its key with configMapKeyRef";
    faults.push({ problem: `${path} is not UTF-8; what stands in a Skill is text`, fix });
    return undefined;
  }
  const executable = path !== skillFile && (mode & 0o111) !== 0;
  return { path, content: bytes.toString("utf8"), ...(executable && { executable }) };
}

/** Bytes of a file; none where it is too large for a skill. */
async function readBytes(file: string): Promise<{ size: number; mode: number; bytes?: Buffer }> {
  const { size, mode } = await stat(file);
  return size > skillLimits.fileBytes ? { size, mode } : { size, mode, bytes: await readFile(file) };
}

async function entriesOf(directory: string): Promise<Dirent[]> {
  try {
    const entries = await readdir(directory, { withFileTypes: true });
    return entries.sort((left, right) => compareBytes(left.name, right.name));
  } catch (error) {
    throw unreadable(directory, error);
  }
}
