import { z } from "zod";
import { countCharacters } from "../../lib/characters.ts";
import { observed } from "./conditions.ts";
import { ageColumn, column, conditionColumn, defineKind, type ObjectOf } from "./kind.ts";
import { atomicOf, celList, integer, LabelName, mapOf, notBlank, type Rule, setOf, text, withRules } from "./schema.ts";
import { SkillFile } from "./skill-file.ts";
import { namePattern, reservedSkillNames, skillLimits } from "./skill-limits.ts";

const names = (what: string, field: string) =>
  setOf(z.array(LabelName).max(100))
    .optional()
    .describe(`${field} are names of ${what} in the same namespace, at most 100.`);

export const SkillScope = z
  .object({
    all: z
      .boolean()
      .default(false)
      .describe("all is whether every session of the namespace gets it. Defaults to false."),
    repositories: names("Repositories whose sessions get it, also within an Environment", "repositories"),
    environments: names("Environments whose sessions get it", "environments"),
  })
  .describe("SkillScope says which sessions get a skill: those that any of its fields names.");

const Metadata = withRules(z.record(z.string(), text(skillLimits.metadataValue)).meta({ maxProperties: 100 }), [
  {
    message: "must have at most 100 keys, each of 1 to 100 characters",
    cel: "size(self) <= 100 && self.all(key, size(key) >= 1 && size(key) <= 100)",
    check: (metadata) =>
      Object.keys(metadata).length <= 100 &&
      Object.keys(metadata).every((key) => key !== "" && Array.from(key).length <= skillLimits.metadataKey),
  },
]);

/** What SKILL.md and the files beside it are made of. */
export const skillContent = {
  description: notBlank(text(skillLimits.description)).describe(
    "description says what the skill does and when an agent should use it, at most 1,024 characters.",
  ),
  license: notBlank(text(skillLimits.license))
    .optional()
    .describe("license says on which terms others may use the text, such as Apache-2.0, at most 200 characters."),
  compatibility: notBlank(text(skillLimits.compatibility))
    .optional()
    .describe("compatibility says what the skill needs, such as programs or an agent, at most 500 characters."),
  metadata: Metadata.optional().describe(
    "metadata are further texts for agents, at most 100: keys of 1 to 100 characters, values of at most 500.",
  ),
  body: text(skillLimits.fileBytes)
    .default("")
    .describe(
      "body is what SKILL.md says below its head, as given; SKILL.md is at most 262,144 bytes. Defaults to empty.",
    ),
  files: mapOf(z.array(SkillFile).max(skillLimits.files), "path")
    .optional()
    .describe(
      "files are the supporting files, at most 99, from at most 10 ConfigMaps; with SKILL.md they are at most 1 MiB.",
    ),
};

/** Their bytes, which are the limit and at least as many, would cost the API server too much to count. */
const withoutLargeTexts: Rule<{ body: string; files?: SkillFile[] | undefined }> = {
  message: `must be at most ${skillLimits.revisionBytes} characters, body and the files' content together`,
  cel: `self.body.size() + (has(self.files) ? self.files.map(f, has(f.content) ? f.content.size() : 0).sum() : 0) <= ${skillLimits.revisionBytes}`,
  check: ({ body, files = [] }) =>
    [body, ...files.map(({ content = "" }) => content)].reduce((sum, one) => sum + countCharacters(one), 0) <=
    skillLimits.revisionBytes,
  fieldPath: ".files",
};

export const SkillSpec = withRules(
  z
    .object({
      ...skillContent,
      appliesTo: SkillScope.prefault({}).describe("appliesTo says which sessions get the skill; left out, none do."),
      suspend: z
        .boolean()
        .default(false)
        .describe("suspend keeps the skill from new sessions; sessions that have it keep it. Defaults to false."),
    })
    .describe("SkillSpec is the wanted state."),
  [withoutLargeTexts],
);
export type SkillSpec = z.infer<typeof SkillSpec>;

export const SkillStatus = z
  .object({
    ...observed,
    digest: text(71).optional().describe("digest is the SHA-256 of SKILL.md and the files, such as sha256:2c26…."),
    bytes: integer(0, skillLimits.revisionBytes).optional().describe("bytes is the size of SKILL.md and the files."),
  })
  .describe("SkillStatus is what was observed.");
export type SkillStatus = z.infer<typeof SkillStatus>;

export const Skill = defineKind({
  kind: "Skill",
  plural: "skills",
  shortNames: ["rwskill"],
  namespaced: true,
  description:
    "Skill is a set of instructions for agents, a SKILL.md and its supporting files, that sessions get; its name is the skill's name.",
  spec: SkillSpec,
  status: SkillStatus,
  nameRule: {
    cel: `self.metadata.name.size() <= ${skillLimits.name} && self.metadata.name.matches('${namePattern.source}')`,
    fieldPath: ".metadata.name",
    message: `must be at most ${skillLimits.name} lower-case letters and digits, in words separated by single hyphens`,
  },
  rules: [
    {
      cel: `!(self.metadata.name in ${celList(reservedSkillNames)})`,
      fieldPath: ".metadata.name",
      message: `must not be reserved: ${reservedSkillNames.join(", ")}`,
    },
  ],
  columns: [
    conditionColumn("Ready", "Ready", "status"),
    conditionColumn("Reason", "Ready", "reason"),
    column("All", ".spec.appliesTo.all", "Whether every session of the namespace gets it.", { type: "boolean" }),
    column("Bytes", ".status.bytes", "The size of SKILL.md and the files.", { type: "integer" }),
    ageColumn,
    conditionColumn("Message", "Ready", "message"),
  ],
});
export type Skill = ObjectOf<typeof SkillSpec, typeof SkillStatus>;

/** Which skills a session gets, in a Session and in an Automation's template of sessions. */
export const SkillSelection = withRules(
  z
    .object({
      mode: z
        .enum(["All", "None", "Names"])
        .default("All")
        .describe("mode is All (all that apply), None, or Names (those of names that apply). Defaults to All."),
      names: atomicOf(z.array(text(skillLimits.name)).max(100))
        .optional()
        .describe("names are names of Skills, at most 100, with mode Names alone."),
    })
    .describe("SkillSelection narrows the skills that apply to a session."),
  [
    {
      message: "must go with mode Names, and mode Names with it",
      cel: "has(self.names) == (self.mode == 'Names')",
      check: ({ mode, names: given }) => (given !== undefined) === (mode === "Names"),
      fieldPath: ".names",
    },
  ],
);
export type SkillSelection = z.infer<typeof SkillSelection>;
