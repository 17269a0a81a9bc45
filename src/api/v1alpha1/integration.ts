import { z } from "zod";
import { observed } from "./conditions.ts";
import { GitHubSettings } from "./integration-github.ts";
import { LinearSettings } from "./integration-linear.ts";
import { SlackChannelId, SlackSettings, SlackUserGroupId } from "./integration-slack.ts";
import { ageColumn, column, conditionColumn, defineKind, type ObjectOf } from "./kind.ts";
import {
  atomicOf,
  LabelName,
  secretNamed,
  ServiceAccountName,
  setOf,
  text,
  Time,
  withRules,
  withTransitionRule,
} from "./schema.ts";

/** Providers of Integrations. */
export const integrationTypes = ["GitHub", "Linear", "Slack"] as const;

const Access = z
  .object({
    users: atomicOf(z.array(text(320).min(1)).max(1_000))
      .default([])
      .describe(
        "users are those who may ask for work, at most 1,000: their ids at the provider, or with Linear their e-mail addresses, compared without case. Defaults to none.",
      ),
    teams: atomicOf(z.array(text(64).min(1)).max(100))
      .default([])
      .describe(
        "teams are keys of Linear's teams, in whose issues all people may ask for work; at most 100. Defaults to none.",
      ),
    channels: atomicOf(z.array(SlackChannelId).max(100))
      .default([])
      .describe(
        "channels are ids of Slack's channels, in which all members of the workspace may ask for work; at most 100. Defaults to none.",
      ),
    userGroups: atomicOf(z.array(SlackUserGroupId).max(20))
      .default([])
      .describe(
        "userGroups are ids of Slack's user groups, whose members may ask for work; at most 20. Defaults to none.",
      ),
  })
  .describe(
    "IntegrationAccess says who may ask for work at Linear or Slack; where all lists are empty, none may. With GitHub it is github.allowedUsers that says so.",
  );

const IntegrationFields = z
  .object({
    type: z.enum(integrationTypes).describe("type is the provider. It cannot change."),
    suspend: z
      .boolean()
      .default(false)
      .describe("suspend drops events; answers of sessions that are at work are still sent. Defaults to false."),
    serviceAccountName: ServiceAccountName.describe(
      "serviceAccountName is the ServiceAccount under which its sessions run and whose rights are checked. It must not be default, and the author must be allowed to impersonate it. At most 253 characters.",
    ),
    signingSecretRef: secretNamed(
      "name is the name of a Secret in the same namespace whose key signing-secret has the secret with which the provider signs; that under previous-signing-secret, where it is there, is valid, too.",
    ).describe("signingSecretRef names the Secret by which events are verified."),
    credentialsSecretRef: secretNamed(
      "name is the name of a Secret in the same namespace; for Linear with the keys client-id and client-secret of an OAuth application, for Slack with the key bot-token, for GitHub with the key private-key of an App.",
    ).describe("credentialsSecretRef names the Secret with which the connector calls the provider."),
    access: Access.prefault({}).describe("access says who may ask for work; left out, none may."),
    sessionInstructions: text(10_000)
      .optional()
      .describe(
        "sessionInstructions are put at the end of the first prompt of each session, at most 10,000 characters; blank ones add nothing.",
      ),
    sandboxClassName: LabelName.optional().describe(
      "sandboxClassName names the SandboxClass of its sessions, at most 63 characters; left out, the default class is used.",
    ),
    github: GitHubSettings.optional().describe("github configures type GitHub."),
    linear: LinearSettings.optional().describe("linear configures type Linear."),
    slack: SlackSettings.optional().describe("slack configures type Slack."),
  })
  .describe("IntegrationSpec is the wanted state.");

const UnionSpec = withRules(IntegrationFields, [
  {
    message: "github belongs to type GitHub, which needs it",
    cel: "(self.type == 'GitHub') == has(self.github)",
    check: ({ type, github }) => (type === "GitHub") === (github !== undefined),
    fieldPath: ".github",
  },
  {
    message: "linear belongs to type Linear, which needs it",
    cel: "(self.type == 'Linear') == has(self.linear)",
    check: ({ type, linear }) => (type === "Linear") === (linear !== undefined),
    fieldPath: ".linear",
  },
  {
    message: "slack belongs to type Slack, which needs it",
    cel: "(self.type == 'Slack') == has(self.slack)",
    check: ({ type, slack }) => (type === "Slack") === (slack !== undefined),
    fieldPath: ".slack",
  },
  {
    message: "teams are of Linear, channels and userGroups of Slack",
    cel: "!has(self.access) || (self.type == 'Slack' ? !has(self.access.teams) || size(self.access.teams) == 0 : (!has(self.access.channels) || size(self.access.channels) == 0) && (!has(self.access.userGroups) || size(self.access.userGroups) == 0))",
    check: ({ type, access: { teams, channels, userGroups } }) =>
      (type === "Slack" ? teams : [...channels, ...userGroups]).length === 0,
    fieldPath: ".access",
  },
  {
    message: "access is for Linear and Slack; with GitHub, github.allowedUsers says who may ask",
    cel: "self.type != 'GitHub' || !has(self.access) || ((!has(self.access.users) || size(self.access.users) == 0) && (!has(self.access.teams) || size(self.access.teams) == 0))",
    check: ({ type, access: { users, teams } }) => type !== "GitHub" || (users.length === 0 && teams.length === 0),
    fieldPath: ".access",
  },
]);

export const IntegrationSpec = withTransitionRule(UnionSpec, {
  message: "type cannot change; create another Integration",
  cel: "self.type == oldSelf.type",
  fieldPath: ".type",
});
export type IntegrationSpec = z.infer<typeof IntegrationSpec>;

const Connection = z
  .object({
    reason: text(64).describe("reason is Connected, or why not in one CamelCase word."),
    message: text(1_024).describe("message explains it to people, at most 1,024 characters."),
    time: Time.describe("time is since when it is so."),
  })
  .describe("Connection is how the connector's last calls of the provider ended.");

const GitHubInstallation = z
  .object({
    events: setOf(z.array(text(100)).max(200)).describe(
      "events are what the App is subscribed to, in GitHub's words, such as pull_request.",
    ),
  })
  .describe("GitHubInstallation is what GitHub says of the App's installation.");

const SlackApp = z
  .object({
    missingScopes: setOf(z.array(text(64)).max(50)).describe(
      "missingScopes are scopes that calls of the connector's need and the app does not have, such as reactions:write.",
    ),
  })
  .describe("SlackApp is what Slack says of the app.");

export const IntegrationStatus = z
  .object({
    ...observed,
    path: text(200).optional().describe("path is where the provider sends events to, below the ingress's base URL."),
    connection: Connection.optional().describe(
      "connection is whether the provider answers the connector; written when it changes. Left out before the first call.",
    ),
    github: GitHubInstallation.optional().describe(
      "github is what GitHub says of the App's installation, which the connector reads every 10 minutes; written when it changes.",
    ),
    slack: SlackApp.optional().describe(
      "slack is what Slack says of the app; left out while it has all scopes that were needed.",
    ),
  })
  .describe("IntegrationStatus is what was observed.");
export type IntegrationStatus = z.infer<typeof IntegrationStatus>;

export const Integration = defineKind({
  kind: "Integration",
  plural: "integrations",
  shortNames: ["rwint"],
  namespaced: true,
  description: "Integration is an issue tracker, a chat or a code host whose people ask agents for work.",
  spec: IntegrationSpec,
  status: IntegrationStatus,
  columns: [
    column("Type", ".spec.type", "The provider."),
    conditionColumn("Ready", "Ready", "status"),
    conditionColumn("Reason", "Ready", "reason"),
    column("Path", ".status.path", "Where the provider sends events to.", { priority: 1 }),
    ageColumn,
    conditionColumn("Message", "Ready", "message"),
  ],
});
export type Integration = ObjectOf<typeof IntegrationSpec, typeof IntegrationStatus>;
