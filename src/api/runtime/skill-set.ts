import { z } from "zod";
import { namePattern, reservedSkillNames, skillLimits } from "../v1alpha1/skill-limits.ts";
import { SkillText } from "../v1alpha1/skill-file.ts";

/** A skill of a session: the files below a folder of its name. */
export const SkillInSet = z.object({
  name: z
    .string()
    .max(skillLimits.name)
    .regex(namePattern)
    .refine((name) => !reservedSkillNames.includes(name)),
  skillFile: z.string(),
  files: z.array(SkillText).max(skillLimits.files),
});
export type SkillInSet = z.infer<typeof SkillInSet>;

/**
 * All skills of a session. The controller stores its JSON in pieces; the runtime fetches them one after the other below the
 * path of its attempt, and checks the digest over all of them before it reads a byte.
 */
export const SkillSet = z.object({
  /** 2 where a file is no text, which runtimes of before know nothing of. */
  version: z.literal([1, 2]),
  skills: z.array(SkillInSet),
});
export type SkillSet = z.infer<typeof SkillSet>;

/** What the bundle says about the session's skills. */
export const BundleSkills = z.object({
  digest: z.string().regex(/^sha256:[0-9a-f]{64}$/),
  pieces: z.int().min(1).max(100),
});
export type BundleSkills = z.infer<typeof BundleSkills>;

/** Path of a piece below the attempt's; the piece's number from 0 follows. */
export const skillsPath = "/skills/";

/** Bytes of the largest piece: with base64 and metadata a Secret of 1 MiB holds it. */
export const skillPieceBytes = 700 * 1_024;
