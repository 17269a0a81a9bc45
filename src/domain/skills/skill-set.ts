import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { type SkillInSet, SkillSet } from "../../api/runtime/skill-set.ts";
import { skillLimits } from "../../api/v1alpha1/skill-limits.ts";
import { compareBytes } from "./compare-bytes.ts";
import { bytesOf, revisionProblem } from "./revision.ts";

/** A set of skills as it is stored and sent. */
export interface EncodedSet {
  content: Buffer;
  /** Of the content, such as `sha256:2c26…`. */
  digest: string;
}

/** The same skills, the same bytes, in whatever order they are given. */
export function encodeSet(skills: readonly SkillInSet[]): EncodedSet {
  const sorted = skills.toSorted((left, right) => compareBytes(left.name, right.name));
  const isText = sorted.every(({ files }) => files.every(({ encoding }) => encoding === undefined));
  const set: SkillSet = { version: isText ? 1 : 2, skills: sorted };
  const content = Buffer.from(JSON.stringify(set), "utf8");
  return { content, digest: setDigest(content) };
}

/** The skills of an encoded set, checked anew in full. @throws Error whose message names what is wrong and no content */
export function decodeSet(content: Buffer, digest: string): SkillInSet[] {
  if (setDigest(content) !== digest) throw new Error("the skills are not those that the session was created with");
  const { data } = SkillSet.safeParse(parsed(content));
  if (!data) throw new Error("the skills do not have the form of a set");
  const { skills } = data;
  if (new Set(skills.map(({ name }) => name)).size < skills.length) throw new Error("two skills have one name");
  for (const skill of skills) {
    const problem = revisionProblem(skill);
    if (problem !== undefined) throw new Error(`skill ${skill.name} cannot be used: ${problem}`);
  }
  if (setBytes(skills) > skillLimits.sessionBytes) throw new Error("the skills are more than a session's may be");
  return skills;
}

/** Bytes of all files of the skills. */
export function setBytes(skills: readonly SkillInSet[]): number {
  return skills.reduce((sum, skill) => sum + bytesOf(skill), 0);
}

function parsed(content: Buffer): unknown {
  try {
    return JSON.parse(content.toString("utf8"));
  } catch {
    return undefined;
  }
}

function setDigest(content: Buffer): string {
  return `sha256:${createHash("sha256").update(content).digest("hex")}`;
}
