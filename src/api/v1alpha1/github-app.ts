import { z } from "zod";
import { integer, matching, SecretKey, SecretName, withRules } from "./schema.ts";

const ApiUrl = matching(
  z.string().min(9).max(512),
  /^https:\/\/[A-Za-z0-9.-]+(:[0-9]{1,5})?(\/[A-Za-z0-9._~-]+)*$/,
  "must be an https:// URL of host, port and path, without a final slash",
);

const Permissions = withRules(z.record(z.string(), z.enum(["read", "write"])).meta({ maxProperties: 16 }), [
  {
    message: "must have contents, without which nothing can be cloned",
    cel: "'contents' in self",
    check: (permissions) => "contents" in permissions,
  },
  {
    message: "must have at most 16 permissions, each a name of GitHub's such as pull_requests",
    cel: "self.size() <= 16 && self.all(name, name.matches(r'^[a-z_]{1,64}$'))",
    check: (permissions) =>
      Object.keys(permissions).length <= 16 && Object.keys(permissions).every((name) => /^[a-z_]{1,64}$/.test(name)),
  },
]);

const Id = integer(1);

export const GitHubApp = z
  .object({
    appID: Id.describe("appID is the number of the App, as its settings page shows it."),
    installationID: Id.optional().describe(
      "installationID is the number of the App's installation. When left out, it is looked up by the repository for each token.",
    ),
    privateKeySecretRef: z
      .object({
        name: SecretName.describe("name is the name of a Secret in the same namespace."),
        key: SecretKey.default("githubAppPrivateKey").describe(
          "key is the Secret's key that holds the private key. Defaults to githubAppPrivateKey.",
        ),
      })
      .describe(
        "privateKeySecretRef names the Secret with the App's private key, the PEM file that GitHub generates. Sandboxes never get it.",
      ),
    permissions: Permissions.default({ contents: "write" }).describe(
      "permissions are the tokens' permissions, for this repository only; the App must have them. Defaults to contents: write.",
    ),
    apiURL: ApiUrl.default("https://api.github.com").describe(
      "apiURL is GitHub's REST API, such as https://github.example.com/api/v3 of GitHub Enterprise Server; the chart value gateway.githubAPIURLs must list it. Defaults to https://api.github.com.",
    ),
  })
  .describe("GitHubApp is a GitHub App that is installed on the repository.");
export type GitHubApp = z.infer<typeof GitHubApp>;
