import { z } from "zod";
import { Conditions, ObservedGeneration } from "./conditions.ts";
import { ageColumn, conditionColumn, defineKind, type ObjectOf } from "./kind.ts";
import { matching, SubdomainName } from "./schema.ts";
import { SessionSettings, SettingOrigins, Settings } from "./settings.ts";

const Url = matching(
  z.string().min(9).max(2048),
  /^https:\/\/([A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?(\/[!-?A-~]*)?$/,
  "must be an https:// clone URL of printable ASCII without user name, password or @",
);

/** A git reference name; what git itself would refuse beyond this is the clone's error. */
const BranchName = matching(
  z.string().min(1).max(255),
  /^[A-Za-z0-9_][A-Za-z0-9_./+@-]*$/,
  "must be a branch name of letters, digits and _ . / + @ -, starting with a letter, a digit or _",
);

export const RepositorySpec = z
  .object({
    url: Url.describe(
      "url is the repository's HTTPS clone URL without user name or password, at most 2,048 characters.",
    ),
    branch: BranchName.default("main").describe(
      "branch is what is checked out, at most 255 characters. Defaults to main.",
    ),
    credentialSecretRef: z
      .object({
        name: SubdomainName.describe(
          "name is the name of a Secret of type kubernetes.io/basic-auth in the same namespace, with username and password; a password alone is used as a token.",
        ),
      })
      .optional()
      .describe("credentialSecretRef is what clone and push authenticate with."),
    caSecretRef: z
      .object({
        name: SubdomainName.describe(
          "name is the name of a Secret in the same namespace whose key ca.crt holds PEM certificates.",
        ),
      })
      .optional()
      .describe(
        "caSecretRef names certificate authorities that are trusted for this repository's server besides the image's own.",
      ),
    secretRef: z
      .object({
        name: SubdomainName.describe(
          "name is the name of a Secret in the same namespace, labelled runwright.dev/secret-scope: repository and runwright.dev/scope-name with this Repository's name.",
        ),
      })
      .optional()
      .describe("secretRef is whose values hooks and agent get as environment variables, over the global ones."),
    settings: Settings.optional().describe("settings of sessions whose primary repository this is."),
  })
  .describe("RepositorySpec is the wanted state.");
export type RepositorySpec = z.infer<typeof RepositorySpec>;

export const RepositoryStatus = z
  .object({
    conditions: Conditions,
    observedGeneration: ObservedGeneration,
    settings: SessionSettings.optional().describe(
      "settings are what a session of the default class on this Repository would get now.",
    ),
    settingOrigins: SettingOrigins.optional().describe(
      "settingOrigins say where the values of settings come from, at most 16; what is left out is built in.",
    ),
  })
  .describe("RepositoryStatus is what was observed.");
export type RepositoryStatus = z.infer<typeof RepositoryStatus>;

export const Repository = defineKind({
  kind: "Repository",
  plural: "repositories",
  shortNames: ["rwrepo"],
  namespaced: true,
  description: "Repository is a git repository that sessions work on.",
  spec: RepositorySpec,
  status: RepositoryStatus,
  columns: [
    { name: "URL", type: "string", jsonPath: ".spec.url", description: "The clone URL." },
    { name: "Branch", type: "string", jsonPath: ".spec.branch", description: "What is checked out." },
    conditionColumn("Ready", "Ready", "status"),
    conditionColumn("Message", "Ready", "message", 1),
    ageColumn,
  ],
});
export type Repository = ObjectOf<typeof RepositorySpec, typeof RepositoryStatus>;
