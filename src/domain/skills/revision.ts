import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import type { SkillInSet } from "../../api/runtime/skill-set.ts";
import { skillLimits } from "../../api/v1alpha1/skill-limits.ts";
import type { SkillText } from "../../api/v1alpha1/skill-file.ts";
import { compareBytes } from "./compare-bytes.ts";
import { renderSkillFile, type SkillContent } from "./skill-file.ts";

/** A skill as sessions get it: its content does not change any more. */
export interface Revision {
  skill: SkillInSet;
  /** Of SKILL.md and all files. */
  bytes: number;
  /** Such as `sha256:2c26…`. */
  digest: string;
}

/** The revision that a skill's content makes now; whether it is within the limits says {@link revisionProblem}. */
export function revisionOf(name: string, content: SkillContent): Revision {
  const files = [...(content.files ?? [])].sort((left, right) => compareBytes(left.path, right.path));
  const skill = { name, skillFile: renderSkillFile(name, content), files };
  return { skill, bytes: bytesOf(skill), digest: digestOf(skill) };
}

/** What is wrong with a skill that its schema cannot say; undefined: nothing. */
export function revisionProblem(skill: SkillInSet): string | undefined {
  const tooLong = allFilesOf(skill).find((file) => bytesIn(file).length > skillLimits.fileBytes);
  if (tooLong) {
    return `${tooLong.path} is ${bytesIn(tooLong).length} bytes; a file is at most ${skillLimits.fileBytes}`;
  }
  const bytes = bytesOf(skill);
  if (bytes > skillLimits.revisionBytes) {
    return `SKILL.md and the files are ${bytes} bytes; together they are at most ${skillLimits.revisionBytes}`;
  }
  return treeProblem(skill.files.map(({ path }) => path));
}

/** Bytes of SKILL.md and all files. */
export function bytesOf(skill: SkillInSet): number {
  return allFilesOf(skill).reduce((sum, file) => sum + bytesIn(file).length, 0);
}

/** What is written into a file. */
export function bytesIn({ content, encoding }: Pick<SkillText, "content" | "encoding">): Buffer {
  return Buffer.from(content, encoding ?? "utf8");
}

/** SKILL.md and the supporting files. */
export function allFilesOf({ skillFile, files }: SkillInSet): SkillText[] {
  return [{ path: "SKILL.md", content: skillFile, executable: false }, ...files];
}

/** Paths that name one file, or a file and a folder, on some disk: composed and decomposed letters count as equal. */
function treeProblem(paths: readonly string[]): string | undefined {
  const seen = new Map<string, string>();
  for (const path of paths) {
    const same = seen.get(path.normalize("NFC"));
    if (same !== undefined) return `${path} is the path of two files`;
    seen.set(path.normalize("NFC"), path);
  }
  for (const path of seen.keys()) {
    const folder = foldersOf(path).find((one) => seen.has(one));
    if (folder !== undefined) return `${folder} is a file and the folder of ${path}`;
  }
  return undefined;
}

function foldersOf(path: string): string[] {
  const segments = path.split("/");
  return segments.slice(1).map((_, index) => segments.slice(0, index + 1).join("/"));
}

/** Lengths stand before what they measure, so that no two trees have the same bytes. */
function digestOf(skill: SkillInSet): string {
  const hash = createHash("sha256");
  const add = (bytes: Buffer): void => {
    hash.update(`${bytes.length}:`).update(bytes);
  };
  for (const file of allFilesOf(skill).sort((left, right) => compareBytes(left.path, right.path))) {
    add(Buffer.from(file.path));
    hash.update(file.executable ? "x" : "-");
    add(bytesIn(file));
  }
  return `sha256:${hash.digest("hex")}`;
}
