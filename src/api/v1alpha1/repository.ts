import { z } from "zod";
import { Autofix } from "./autofix.ts";
import { BranchName, Clone } from "./clone.ts";
import { isSshUrl } from "./clone-url.ts";
import { observed } from "./conditions.ts";
import { ageColumn, column, conditionColumn, defineKind, type ObjectOf } from "./kind.ts";
import { GitHubApp } from "./github-app.ts";
import { Prebuild } from "./prebuilt-image.ts";
import { matching, secretNamed, withRules } from "./schema.ts";
import { SessionSettings, SettingOrigins, Settings } from "./settings.ts";

const Url = matching(
  z.string().min(9).max(2048),
  /^(https:\/\/([A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?(\/[!-?A-~]*)?|ssh:\/\/([A-Za-z0-9_][A-Za-z0-9_.-]*@)?[A-Za-z0-9][A-Za-z0-9.-]*(:[0-9]{1,5})?\/[!-?A-~]+|[A-Za-z0-9_][A-Za-z0-9_.-]*@[A-Za-z0-9][A-Za-z0-9.-]*:[!-.0-9;-?A-~][!-?A-~]*)$/,
  "must be a clone URL of printable ASCII: https:// without user name, password or @, or ssh://[USER@]HOST[:PORT]/PATH or USER@HOST:PATH",
);

const RepositoryFields = z
  .object({
    url: Url.describe(
      "url is the repository's clone URL, at most 2,048 characters: https:// without user name or password, or SSH as ssh://[USER@]HOST[:PORT]/PATH or USER@HOST:PATH.",
    ),
    branch: BranchName.default("main").describe(
      "branch is the branch that is checked out, at most 255 characters, unless a Session names another branch or a commit. Defaults to main.",
    ),
    clone: Clone.optional().describe("clone is how it is cloned; left out, with its whole history."),
    credentialSecretRef: secretNamed(
      "name is the name of a Secret in the same namespace. For https://: type kubernetes.io/basic-auth with username and password (a password alone is used as a token), or type Opaque with token. For SSH: type kubernetes.io/ssh-auth with ssh-privatekey, without a passphrase, and known_hosts.",
    )
      .optional()
      .describe(
        "credentialSecretRef names the Secret with the credential for clone and push. Required for an SSH URL.",
      ),
    githubApp: GitHubApp.optional().describe(
      "githubApp authenticates with tokens of a GitHub App, valid for one hour each, instead of credentialSecretRef.",
    ),
    caSecretRef: secretNamed(
      "name is the name of a Secret in the same namespace whose key ca.crt holds PEM certificates.",
    )
      .optional()
      .describe(
        "caSecretRef names the Secret with certificate authorities that are trusted for this repository's server, in addition to the image's own.",
      ),
    secretRef: secretNamed(
      "name is the name of a Secret in the same namespace, labelled runwright.dev/secret-scope: repository and runwright.dev/scope-name with this Repository's name.",
    )
      .optional()
      .describe(
        "secretRef names the Secret whose values hooks and agent get as environment variables. They override the global Secret's.",
      ),
    settings: Settings.optional().describe("settings of sessions whose primary repository this is."),
    autofix: Autofix.optional().describe(
      "autofix overrides, field by field, that of the Integration whose App opens the pull requests of sessions on this Repository.",
    ),
    prebuild: Prebuild.optional().describe(
      "prebuild has the controller keep a PrebuiltImage of this Repository; left out, none is made.",
    ),
  })
  .describe("RepositorySpec is the wanted state.");

export const RepositorySpec = withRules(RepositoryFields, [
  {
    message: "an SSH URL needs a Secret of type kubernetes.io/ssh-auth with the key and the known hosts",
    cel: "self.url.startsWith('https://') || has(self.credentialSecretRef)",
    check: ({ url, credentialSecretRef }) => !isSshUrl(url) || credentialSecretRef !== undefined,
    fieldPath: ".credentialSecretRef",
    reason: "FieldValueRequired",
  },
  {
    message: "githubApp and credentialSecretRef exclude each other",
    cel: "!has(self.githubApp) || !has(self.credentialSecretRef)",
    check: ({ githubApp, credentialSecretRef }) => !githubApp || !credentialSecretRef,
    fieldPath: ".githubApp",
    reason: "FieldValueForbidden",
  },
  {
    message: "must be https://HOST/OWNER/REPOSITORY when githubApp is set",
    cel: "!has(self.githubApp) || self.url.matches(r'^https://[^/]+/[^/?#]+/[^/?#]+$')",
    check: ({ githubApp, url }) => !githubApp || /^https:\/\/[^/]+\/[^/?#]+\/[^/?#]+$/.test(url),
    fieldPath: ".url",
  },
]);
export type RepositorySpec = z.infer<typeof RepositorySpec>;

export const RepositoryStatus = z
  .object({
    ...observed,
    settings: SessionSettings.optional().describe(
      "settings are the settings that a new session of the default class on this Repository would have.",
    ),
    settingOrigins: SettingOrigins,
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
    column("URL", ".spec.url", "The clone URL."),
    column("Branch", ".spec.branch", "The branch that is checked out."),
    conditionColumn("Ready", "Ready", "status"),
    conditionColumn("Reason", "Ready", "reason"),
    ageColumn,
    conditionColumn("Message", "Ready", "message"),
  ],
});
export type Repository = ObjectOf<typeof RepositorySpec, typeof RepositoryStatus>;
