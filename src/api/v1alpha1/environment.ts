import { z } from "zod";
import { observed } from "./conditions.ts";
import { ageColumn, conditionColumn, defineKind, type ObjectOf } from "./kind.ts";
import { Prebuild } from "./prebuilt-image.ts";
import { atomicOf, LocalReference, secretNamed, withRule } from "./schema.ts";
import { Settings } from "./settings.ts";

export const EnvironmentSpec = withRule(
  z
    .object({
      repositoryRefs: atomicOf(z.array(LocalReference).min(1).max(10)).describe(
        "repositoryRefs are the Repositories that a session works on together, 1 to 10, in order; the first is the primary one.",
      ),
      secretRef: secretNamed(
        "name is the name of a Secret in the same namespace, labelled runwright.dev/secret-scope: environment and runwright.dev/scope-name with this Environment's name.",
      )
        .optional()
        .describe(
          "secretRef names the Secret whose values hooks and agent get as environment variables. They override the global Secret's; the Repositories' Secrets are not used.",
        ),
      settings: Settings.optional().describe(
        "settings of sessions on this Environment; each overrides that of its first Repository.",
      ),
      prebuild: Prebuild.optional().describe(
        "prebuild has the controller keep a PrebuiltImage of this Environment; left out, none is made.",
      ),
    })
    .describe("EnvironmentSpec is the wanted state."),
  {
    message: "must not name the same Repository twice",
    cel: "self.repositoryRefs.all(a, self.repositoryRefs.exists_one(b, a.name == b.name))",
    check: (spec) => new Set(spec.repositoryRefs.map(({ name }) => name)).size === spec.repositoryRefs.length,
    fieldPath: ".repositoryRefs",
  },
);
export type EnvironmentSpec = z.infer<typeof EnvironmentSpec>;

export const EnvironmentStatus = z.object(observed).describe("EnvironmentStatus is what was observed.");

export const Environment = defineKind({
  kind: "Environment",
  plural: "environments",
  shortNames: ["rwenv"],
  namespaced: true,
  description: "Environment is a list of up to 10 Repositories that sessions work on together, and their settings.",
  spec: EnvironmentSpec,
  status: EnvironmentStatus,
  columns: [
    conditionColumn("Ready", "Ready", "status"),
    conditionColumn("Reason", "Ready", "reason"),
    ageColumn,
    conditionColumn("Message", "Ready", "message"),
  ],
});
export type Environment = ObjectOf<typeof EnvironmentSpec, typeof EnvironmentStatus>;
