import { z } from "zod";
import { RepositoryReference } from "./clone.ts";
import { atomicOf, LocalReference, withRule, withRules } from "./schema.ts";

/** Target of one session of a Run. */
export const Target = withRule(
  z
    .object({
      repositoryRef: LocalReference.optional().describe(
        "repositoryRef has the session work on one Repository, which is cloned.",
      ),
      environmentRef: LocalReference.optional().describe(
        "environmentRef has the session work on all Repositories of an Environment, with its Secrets and settings.",
      ),
    })
    .describe("Target is a Repository or an Environment of the same namespace."),
  {
    message: "exactly one of repositoryRef and environmentRef must be set",
    cel: "has(self.repositoryRef) != has(self.environmentRef)",
    check: (target) => (target.repositoryRef === undefined) !== (target.environmentRef === undefined),
  },
);
export type Target = z.infer<typeof Target>;

const SessionTargetShape = z
  .object({
    repositoryRefs: atomicOf(z.array(RepositoryReference).min(1).max(10))
      .optional()
      .describe("repositoryRefs are 1 to 10 Repositories in order; the first is the primary one."),
    environmentRef: LocalReference.optional().describe(
      "environmentRef has the session work on all Repositories of an Environment, with its Secrets and settings.",
    ),
  })
  .describe("SessionTarget is a list of Repositories, an Environment, or neither: an empty workspace.");

/** Target of a Session; nothing set means an empty workspace. */
export const SessionTarget = withRules(SessionTargetShape, [
  {
    message: "at most one of repositoryRefs and environmentRef may be set",
    cel: "!(has(self.repositoryRefs) && has(self.environmentRef))",
    check: (target) => target.repositoryRefs === undefined || target.environmentRef === undefined,
  },
  {
    message: "must not name the same Repository twice",
    cel: "!has(self.repositoryRefs) || self.repositoryRefs.all(a, self.repositoryRefs.exists_one(b, a.name == b.name))",
    check: ({ repositoryRefs = [] }) => new Set(repositoryRefs.map(({ name }) => name)).size === repositoryRefs.length,
    fieldPath: ".repositoryRefs",
  },
]);
export type SessionTarget = z.infer<typeof SessionTarget>;
