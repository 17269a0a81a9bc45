import { z } from "zod";
import { Autofix } from "./autofix.ts";
import { atomicOf, integer, LocalReference, matching, text } from "./schema.ts";

const Login = matching(
  text(100),
  /^[A-Za-z0-9](?:[A-Za-z0-9_-]*[A-Za-z0-9])?$/,
  "must be the login of a person at GitHub, such as octocat",
);

export const GitHubSettings = z
  .object({
    appID: integer(1).describe("appID is the number of the App, as its settings page shows it."),
    slug: matching(
      text(100),
      /^[a-z0-9]+(?:-[a-z0-9]+)*$/,
      "must be the App's name as in its address github.com/apps/NAME: lower-case letters, digits and single hyphens",
    ).describe(
      "slug is the App's name as in its address, https://github.com/apps/SLUG; people mention @SLUG. At most 100 characters.",
    ),
    installationID: integer(1).describe(
      "installationID is the number of the App's installation, the last part of the address of its page in the settings of the organization; events of others are refused.",
    ),
    repositories: atomicOf(z.array(LocalReference).max(100))
      .default([])
      .describe(
        "repositories are the Repositories of the same namespace that requests may be about, at most 100; one is found by its URL. Defaults to none.",
      ),
    pullRequests: z
      .enum(["Draft", "Ready", "OnRequest"])
      .optional()
      .describe(
        "pullRequests has the connector open a pull request for each branch that an agent pushes to one of the repositories: as a Draft, or Ready for review. OnRequest opens a draft only where a person or the agent asks for it. Left out, none is opened or watched.",
      ),
    autofix: Autofix.optional().describe(
      "autofix is whose feedback on pull requests becomes prompts; a Repository's own autofix overrides it field by field. Left out, none does unless the Repository says so.",
    ),
    allowedUsers: atomicOf(z.array(Login).max(1_000))
      .optional()
      .describe(
        "allowedUsers are the logins of those who may ask for work, compared without case, at most 1,000; an empty list allows none. Left out, all who may write to the repository may.",
      ),
  })
  .describe("GitHubSettings are what an Integration of type GitHub needs.");
export type GitHubSettings = z.infer<typeof GitHubSettings>;
