import { Buffer, isUtf8 } from "node:buffer";
import { type Reason, reasons } from "../../api/v1alpha1/reasons.ts";
import type { SkillFile, SkillText } from "../../api/v1alpha1/skill-file.ts";
import { skillLimits } from "../../api/v1alpha1/skill-limits.ts";
import type { SkillSpec } from "../../api/v1alpha1/skill.ts";
import { compareBytes } from "./compare-bytes.ts";
import { type Revision, revisionOf, revisionProblem } from "./revision.ts";

/** What a ConfigMap holds. */
export interface ConfigMapTexts {
  data?: Readonly<Record<string, string>> | undefined;
  /** In base64. */
  binaryData?: Readonly<Record<string, string>> | undefined;
}

/** Why no session gets a Skill. */
export interface SkillProblem {
  reason: Extract<Reason, "InvalidSkill" | "SkillFileNotFound">;
  /** For people; names the file. */
  message: string;
}

export type JudgedSkill = { ok: true; revision: Revision } | { ok: false; problem: SkillProblem };

/** Names of the ConfigMaps that a Skill's files come from, sorted. */
export function configMapsOf({ files = [] }: Pick<SkillSpec, "files">): string[] {
  const names = files.flatMap(({ configMapKeyRef }) => configMapKeyRef?.name ?? []);
  return [...new Set(names)].sort(compareBytes);
}

/** That a Skill's files come from more ConfigMaps than are read for one. */
export function configMapsProblem(spec: Pick<SkillSpec, "files">): SkillProblem | undefined {
  const count = configMapsOf(spec).length;
  if (count <= skillLimits.configMaps) return undefined;
  return invalid(`the files come from ${count} ConfigMaps; they may come from at most ${skillLimits.configMaps}`);
}

/**
 * The revision that a Skill makes with these ConfigMaps of its namespace, or why no session gets it. Its schema has been
 * checked before.
 */
export function judgeSkill(
  name: string,
  spec: Omit<SkillSpec, "appliesTo" | "suspend">,
  configMaps: ReadonlyMap<string, ConfigMapTexts>,
): JudgedSkill {
  const tooMany = configMapsProblem(spec);
  if (tooMany) return { ok: false, problem: tooMany };
  const files = [];
  for (const file of spec.files ?? []) {
    const found = textOf(file, configMaps);
    if ("problem" in found) return { ok: false, problem: found.problem };
    files.push(found.text);
  }
  const revision = revisionOf(name, { ...spec, files });
  const problem = revisionProblem(revision.skill);
  return problem === undefined ? { ok: true, revision } : { ok: false, problem: invalid(problem) };
}

function textOf(
  { path, content, configMapKeyRef, executable }: SkillFile,
  configMaps: ReadonlyMap<string, ConfigMapTexts>,
): { text: SkillText } | { problem: SkillProblem } {
  const text = (known: string): { text: SkillText } => ({ text: { path, content: known, executable } });
  if (!configMapKeyRef) return text(content ?? "");
  const { name, key } = configMapKeyRef;
  const configMap = configMaps.get(name);
  if (!configMap) return missing(`${path}: there is no ConfigMap ${name} in the namespace`);
  const bytes = bytesAt(configMap, key);
  if (!bytes) return missing(`${path}: ConfigMap ${name} has no key ${key}`);
  if (isUtf8(bytes)) return text(bytes.toString("utf8"));
  return { text: { path, content: bytes.toString("base64"), encoding: "base64", executable } };
}

function bytesAt({ data = {}, binaryData = {} }: ConfigMapTexts, key: string): Buffer | undefined {
  if (Object.hasOwn(data, key)) return Buffer.from(data[key] ?? "", "utf8");
  return Object.hasOwn(binaryData, key) ? Buffer.from(binaryData[key] ?? "", "base64") : undefined;
}

function missing(message: string): { problem: SkillProblem } {
  return { problem: { reason: reasons.skillFileNotFound, message } };
}

function invalid(message: string): SkillProblem {
  return { reason: reasons.invalidSkill, message };
}
