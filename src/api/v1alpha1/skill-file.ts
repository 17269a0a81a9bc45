import { z } from "zod";
import { matching, type Rule, SubdomainName, text, withRules } from "./schema.ts";
import { skillLimits } from "./skill-limits.ts";

const segmentsOf = (path: string): string[] => path.split("/");

/** Where a supporting file is, below the skill's folder. */
const SkillPath = withRules(
  matching(
    z.string().min(1).max(skillLimits.pathBytes),
    /^[^\p{Cc}\\]*$/u,
    "must have no control characters and no backslash: the separator is /",
  ),
  [
    {
      message: `must be at most ${skillLimits.pathBytes} bytes in UTF-8`,
      cel: `bytes(self).size() <= ${skillLimits.pathBytes}`,
      check: (path) => new TextEncoder().encode(path).length <= skillLimits.pathBytes,
    },
    {
      message: `must have at most ${skillLimits.pathSegments} segments`,
      cel: `self.split('/').size() <= ${skillLimits.pathSegments}`,
      check: (path) => segmentsOf(path).length <= skillLimits.pathSegments,
    },
    {
      message: "must be relative, such as references/api.md, with no segment that is empty, . or ..",
      cel: "self.split('/').all(segment, !(segment in ['', '.', '..']))",
      check: (path) => segmentsOf(path).every((segment) => !["", ".", ".."].includes(segment)),
    },
    {
      message: "must have no segment that begins or ends with a space",
      cel: "self.split('/').all(segment, !segment.startsWith(' ') && !segment.endsWith(' '))",
      check: (path) => segmentsOf(path).every((segment) => !segment.startsWith(" ") && !segment.endsWith(" ")),
    },
    {
      message: "must not be SKILL.md or below it: that file is made from the other fields",
      cel: "self.split('/')[0].lowerAscii() != 'skill.md'",
      check: (path) => segmentsOf(path)[0]?.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase()) !== "skill.md",
    },
  ],
);

const path = SkillPath.describe(
  "path is where the file is below the skill's folder, such as references/api.md; at most 10 segments and 240 bytes.",
);

const executable = z
  .boolean()
  .optional()
  .describe("executable lets the agent run the file; only below scripts/. Left out, it does not.");

const belowScripts: Rule<{ path: string; executable?: boolean | undefined }> = {
  message: "must be below scripts/, as the file is executable",
  cel: "!has(self.executable) || !self.executable || self.path.startsWith('scripts/')",
  check: ({ path: given, executable: isExecutable }) => isExecutable !== true || given.startsWith("scripts/"),
  fieldPath: ".path",
};

export const ConfigMapKeyReference = z
  .object({
    name: SubdomainName.describe("name is the ConfigMap's name in the same namespace, at most 253 characters."),
    key: matching(
      z.string().min(1).max(253),
      /^[-._a-zA-Z0-9]+$/,
      "must be a ConfigMap's data key: letters, digits, '-', '_' and '.'",
    ).describe("key is the data key that holds the content, at most 253 characters."),
  })
  .describe("ConfigMapKeyReference names a key of a ConfigMap in the same namespace.");

/** A supporting file in the spec of a Skill. */
export const SkillFile = withRules(
  z
    .object({
      path,
      content: text(skillLimits.fileBytes).optional().describe("content is the file's text, at most 262,144 bytes."),
      configMapKeyRef: ConfigMapKeyReference.optional().describe(
        "configMapKeyRef names what holds the file in place of content, at most 262,144 bytes, which under binaryData may be any; read when a session first starts.",
      ),
      executable,
    })
    .describe("SkillFile is a supporting file, which the agent reads or runs when SKILL.md says so."),
  [
    belowScripts,
    {
      message: "must have either content or configMapKeyRef",
      cel: "has(self.content) != has(self.configMapKeyRef)",
      check: ({ content, configMapKeyRef }) => (content === undefined) !== (configMapKeyRef === undefined),
    },
  ],
);
export type SkillFile = z.infer<typeof SkillFile>;

/** A supporting file whose content is known: a text, or other bytes in base64. */
export const SkillText = withRules(
  z.object({
    path,
    /** Base64 has 4 characters for 3 bytes; how many bytes there are is checked with the whole skill. */
    content: z.string().max(4 * Math.ceil(skillLimits.fileBytes / 3)),
    encoding: z.literal("base64").optional(),
    executable,
  }),
  [belowScripts],
);
export type SkillText = z.infer<typeof SkillText>;
