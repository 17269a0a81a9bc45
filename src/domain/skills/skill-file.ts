import type { SkillText } from "../../api/v1alpha1/skill-file.ts";
import type { SkillSpec } from "../../api/v1alpha1/skill.ts";
import { compareBytes } from "./compare-bytes.ts";

/** What a skill consists of, apart from whom it is for. */
export type SkillContent = Pick<SkillSpec, "description" | "license" | "compatibility" | "metadata" | "body"> & {
  files?: readonly SkillText[] | undefined;
};

/**
 * SKILL.md as agents read it: a head in YAML and below it the body as it is given. Same content, same bytes. Every value is
 * quoted: a name such as `true` or `2026-05-04` would be read as something else than a text.
 */
export function renderSkillFile(name: string, content: SkillContent): string {
  const { description, license, compatibility, metadata = {}, body } = content;
  const entries = Object.entries(metadata).sort(([left], [right]) => compareBytes(left, right));
  return [
    "---",
    `name: ${quoted(name)}`,
    `description: ${quoted(description.trim())}`,
    ...(license === undefined ? [] : [`license: ${quoted(license.trim())}`]),
    ...(compatibility === undefined ? [] : [`compatibility: ${quoted(compatibility.trim())}`]),
    ...(entries.length === 0
      ? []
      : ["metadata:", ...entries.map(([key, value]) => `  ${quoted(key)}: ${quoted(value)}`)]),
    "---",
    body,
  ].join("\n");
}

/** Characters that JSON leaves as they are, and that YAML does not allow or takes for the end of a line. */
const escapedInYaml = /[\u007f-\u009f\u2028\u2029\ufeff]/g;

function quoted(text: string): string {
  return JSON.stringify(text).replaceAll(
    escapedInYaml,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
