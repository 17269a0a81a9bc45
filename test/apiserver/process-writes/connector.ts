import {
  apiVersion,
  type Conversation,
  type Integration,
  type IntegrationEvent,
  type Session,
} from "../../../src/api/v1alpha1/index.ts";
import { annotations, labels } from "../../../src/api/v1alpha1/names.ts";
import { makeConversation, makeEventPrompt, makeSession } from "../../../src/connector/conversations/resources.ts";
import { makeFeedbackPrompt } from "../../../src/connector/github/autofix/resources.ts";
import { makePullRequest } from "../../../src/connector/github/pull-requests/resources.ts";
import { makeCopy } from "../../../src/controllers/integration/resources.ts";
import { makeRun } from "../../../src/domain/deliveries/make-run.ts";
import { aSecret } from "../../support/builders.ts";
import {
  coordination,
  core,
  events,
  keysNamespace,
  of,
  ours,
  release,
  tenant,
  tokensNamespace,
  type Tried,
} from "./tried.ts";

const time = "2026-05-04T10:15:00.000Z";
const integration = {
  metadata: { name: "tracker", namespace: tenant, uid: "u1" },
  spec: {
    type: "Linear",
    suspend: false,
    serviceAccountName: "runner",
    sandboxClassName: "standard",
    signingSecretRef: { name: "signing" },
    credentialsSecretRef: { name: "app" },
    access: { users: [], teams: [], channels: [], userGroups: [] },
    linear: { organizationID: "0b9e1c1e-0000-4000-8000-000000000001", repositories: [], projects: [], teams: [] },
  },
} satisfies Integration;
const event = {
  metadata: { name: "tracker-event", namespace: tenant, uid: "u2" },
  spec: {
    integrationRef: { name: "tracker", uid: "u1" },
    deliveryID: "d1",
    receivedTime: time,
    linear: { action: "Created", agentSessionID: "s", issueID: "i" },
  },
} satisfies IntegrationEvent;
const made = makeConversation(integration, event);
const conversation: Conversation = {
  ...made,
  metadata: { ...made.metadata, uid: "u3" },
  status: { sessionName: "tracker-session", target: { repositoryRef: { name: "api" } } },
};
const session = makeSession(integration, conversation, { event, title: "ENG-1" });
const stored: Session = { ...session, metadata: { ...session.metadata, uid: "u4" } };
const images = [{ digest: `sha256:${"0".repeat(64)}`, mediaType: "image/png" } as const];
const prompt = makeEventPrompt(integration, stored, { event, text: "Fix it.", images });
const pullRequest = makePullRequest(
  integration,
  { session: stored, prompt },
  { repositoryName: "api", repository: "acme/api", head: "fix", base: "main" },
);
const feedbackPrompt = makeFeedbackPrompt(
  { integration, session: stored, pullRequest: { ...pullRequest, metadata: { ...pullRequest.metadata, uid: "u5" } } },
  { name: "feedback-prompt", text: "é".repeat(100_000), login: "ann" },
);
const uidless = <T extends { metadata: object }>(object: T, name: string): T => ({
  ...object,
  metadata: { ...object.metadata, name, uid: undefined },
});
const promptOfRun = uidless(
  { ...prompt, metadata: { ...prompt.metadata, labels: { [labels.sessionUid]: "u4" } } },
  "prompt-of-a-run",
);
const regarding = { apiVersion, kind: "Conversation", namespace: tenant, name: "c", uid: "u3" };
const eventObject = {
  metadata: { name: "c.1" },
  eventTime: "2026-05-04T10:15:00.000000Z",
  reportingController: "runwright.dev/connector",
  reportingInstance: "p",
  action: "PostsGivenUp",
  reason: "PostsGivenUp",
  type: "Warning",
  note: "n",
  regarding,
};
const leaseSpec = { holderIdentity: "p", leaseDurationSeconds: 15, leaseTransitions: 0 };
const leaseOf = (name: string): object => ({ metadata: { name }, spec: leaseSpec });
const itsName = "metadata.name: must be runwright-connector";

const run = makeRun(
  { type: "GitHub", namespace: tenant, name: "fix", uid: "u1", generation: 1 },
  { id: "tracker-event", receivedAt: new Date(time), payload: "{}", idempotencyKey: "pull request 7 opened" },
  "fix-aaaa",
);
const itsType = "spec.trigger.type: must be one of GitHub, Slack";

const kinds: readonly Tried[] = [
  {
    process: "connector",
    write: "connector-runs",
    path: of(ours, "runs"),
    object: run,
    refused: [
      ["of type Webhook", { spec: { trigger: { type: "Webhook" } } }, itsType],
      [
        "of type Manual",
        { spec: { trigger: { type: "Manual", deliveryID: null, idempotencyKey: null, payload: null } } },
        itsType,
      ],
      [
        "of a late slot",
        { spec: { trigger: { firedTime: "2026-05-04T10:15:00Z" } } },
        "firedTime belongs to type Schedule only",
      ],
      ["of another automation's label", { metadata: { labels: { [labels.automationUid]: "u9" } } }, "metadata.labels"],
      ["without a label", { metadata: { labels: null } }, "metadata.labels"],
      ["of no UID", { spec: { automationRef: { uid: null } } }, "metadata.labels"],
      ["while paused", { metadata: { annotations: { [annotations.whilePaused]: "true" } } }, "metadata.annotations"],
      [
        "of an owner",
        { metadata: { ownerReferences: [{ apiVersion, kind: "Automation", name: "fix", uid: "u1" }] } },
        "metadata: the connector",
      ],
    ],
  },
  {
    process: "connector",
    write: "connector-conversations",
    path: of(ours, "conversations"),
    object: made,
    refused: [["of another integration", { spec: { integrationRef: { uid: "u9" } } }, "metadata.ownerReferences"]],
  },
  {
    process: "connector",
    write: "connector-sessions",
    path: of(ours, "sessions"),
    object: session,
    refused: [
      ["with an agent", { spec: { agent: { command: ["sh"], protocol: "exec" } } }, "spec: the connector may set"],
      ["with settings", { spec: { settings: { maxSessionCostUsd: "" } } }, "spec: the connector may set"],
      ["with skills", { spec: { skills: { mode: "None" } } }, "spec: the connector may set"],
      ["with a Run's payload", { spec: { payloadRunRef: { name: "r" } } }, "spec: the connector may set"],
      ["without a label", { metadata: { labels: null } }, "metadata.labels"],
      ["of another conversation", { metadata: { labels: { [labels.conversationUid]: "u9" } } }, "metadata.labels"],
      ["of a Run", { metadata: { labels: { [labels.runUid]: "u9" } } }, "metadata.labels"],
      ["without a requester", { metadata: { annotations: null } }, "metadata.annotations"],
      [
        "of an automation",
        { metadata: { ownerReferences: [{ apiVersion, kind: "Automation", name: "a", uid: "u3" }] } },
        "metadata.ownerReferences: the connector must set a Conversation",
      ],
    ],
  },
  {
    process: "connector",
    write: "connector-prompts",
    path: of(ours, "prompts"),
    object: prompt,
    refused: [
      ["that is cancelled", { spec: { cancel: true } }, "spec: the connector may set"],
      ["of another session's label", { metadata: { labels: { [labels.sessionUid]: "u9" } } }, "metadata.labels"],
      ["without a conversation", { metadata: { labels: { [labels.conversationUid]: null } } }, "metadata.labels"],
      ["without a requester", { metadata: { annotations: null } }, "metadata.annotations"],
      ["to another session", { spec: { sessionRef: { name: "other" } } }, "metadata.ownerReferences"],
    ],
  },
  {
    process: "connector",
    write: "connector-prompts",
    path: of(ours, "prompts"),
    object: feedbackPrompt,
    refused: [
      [
        "of 200,001 bytes",
        { spec: { text: `${"é".repeat(100_000)}a` } },
        "spec.text: Invalid value: may not be more than",
      ],
      ["without its origin", { spec: { text: "Fix it.", origin: null } }, "metadata.labels"],
      ["without its pull request", { metadata: { labels: { [labels.pullRequestUid]: null } } }, "metadata.labels"],
      ["of a conversation, too", { metadata: { labels: { [labels.conversationUid]: "u3" } } }, "metadata.labels"],
    ],
  },
  {
    process: "connector",
    write: "connector-prompt-changes",
    path: of(ours, "prompts"),
    stored: uidless(prompt, "prompt-stored"),
    object: { spec: { cancel: true } },
    refused: [
      ["of its text", { spec: { text: "Other." } }, "cannot change"],
      ["of its images", { spec: { images: [] } }, "cannot change"],
      ["of its session", { spec: { sessionRef: { name: "other" } } }, "cannot change"],
      ["of its origin", { spec: { origin: "PullRequestFeedback" } }, "cannot change"],
      [
        "of its requester",
        { metadata: { annotations: { [annotations.requestedBy]: "x" } } },
        `metadata.annotations: the connector may change ${annotations.pullRequestRequestedAt} only`,
      ],
      ["of its label", { metadata: { labels: { [labels.sessionUid]: "u9" } } }, "metadata: the connector"],
    ],
  },
  {
    process: "connector",
    write: "connector-prompt-changes",
    path: of(ours, "prompts"),
    stored: promptOfRun,
    object: { metadata: { annotations: { [annotations.pullRequestRequestedAt]: "2026-11-24T12:00:00Z" } } },
    refused: [
      ["that cancels it", { spec: { cancel: true } }, "the connector may cancel prompts of Conversations only"],
    ],
  },
  {
    process: "connector",
    write: "connector-pullrequests",
    path: of(ours, "pullrequests"),
    object: pullRequest,
    refused: [
      ["with a label", { metadata: { labels: { [labels.sessionUid]: "u4" } } }, "metadata: the connector"],
      ["of another session", { spec: { sessionRef: { uid: "u9" } } }, "metadata.ownerReferences"],
      [
        "of a conversation",
        { metadata: { ownerReferences: [{ apiVersion, kind: "Conversation", name: "tracker-session", uid: "u4" }] } },
        "metadata.ownerReferences: the connector must set the Session",
      ],
    ],
  },
  {
    process: "connector",
    write: "connector-integrations-status",
    path: of(ours, "integrations"),
    stored: uidless(integration, "tracker-stored"),
    subresource: "/status",
    object: {
      status: {
        connection: { reason: "Connected", message: "m", time },
        github: { events: ["issues"] },
        slack: { missingScopes: ["chat:write"] },
      },
    },
    refused: [
      ["of its conditions", { status: { conditions: [] } }, "status: the connector may change"],
      ["of its path", { status: { path: "/x" } }, "status: the connector may change"],
      ["of its generation", { status: { observedGeneration: 7 } }, "status: the connector may change"],
    ],
  },
  ...[
    { plural: "integrationevents", object: uidless(event, "event-stored") },
    { plural: "conversations", object: uidless(made, "conversation-stored") },
    { plural: "pullrequests", object: uidless(pullRequest, "pull-request-stored") },
  ].map(({ plural, object }): Tried => ({
    process: "connector",
    write: `connector-${plural}-status`,
    path: of(ours, plural),
    stored: object,
    subresource: "/status",
    object: { status: { observedGeneration: 1 } },
  })),
];

const records: readonly Tried[] = [
  {
    process: "connector",
    write: "connector-events",
    path: events,
    object: eventObject,
    refused: [["of another process", { reportingController: "runwright.dev/controller" }, "reportingController"]],
  },
  {
    process: "connector",
    write: "connector-event-changes",
    path: events,
    stored: { ...eventObject, metadata: { name: "c.stored" } },
    object: { series: { count: 2, lastObservedTime: "2026-05-04T10:16:00.000000Z" } },
    refused: [["of its note", { note: "other" }, "field is immutable"]],
  },
  {
    process: "connector",
    write: "connector-leases",
    path: of(coordination, "leases", release.namespace),
    object: leaseOf("runwright-connector"),
    refused: [["of the controller", { metadata: { name: "runwright-controller" } }, itsName]],
  },
  {
    process: "connector",
    write: "connector-lease-changes",
    path: of(coordination, "leases", release.namespace),
    stored: leaseOf("runwright-connector"),
    object: { spec: { holderIdentity: "q" } },
  },
];

const source = aSecret({
  "client-id": "c",
  "client-secret": "s",
  "bot-token": "b",
  "private-key": "k",
  "signing-secret": "w",
});
const signing = makeCopy(integration, source, {
  namespace: keysNamespace,
  keys: ["signing-secret", "previous-signing-secret"],
});
// All that Integrations of either type have.
const credentials = makeCopy(integration, source, {
  namespace: tokensNamespace,
  keys: ["client-id", "client-secret", "bot-token", "private-key"],
});
const tokens = of(core, "secrets", tokensNamespace);
const otherData = "data: the controller may";

/** Copies of the Secrets that Integrations name. */
const copies: readonly Tried[] = [
  {
    process: "controller",
    write: "controller-keys",
    path: of(core, "secrets", keysNamespace),
    object: signing,
    refused: [["with other data", { data: { token: "YQ==" } }, otherData]],
  },
  {
    process: "controller",
    write: "controller-key-changes",
    path: of(core, "secrets", keysNamespace),
    stored: { ...signing, metadata: { ...signing.metadata, name: "integration-stored" } },
    object: { data: { "signing-secret": "YQ==" } },
    refused: [["of other data", { data: { token: "YQ==" } }, otherData]],
  },
  {
    process: "controller",
    write: "controller-tokens",
    path: tokens,
    object: credentials,
    refused: [
      ["of another name", { metadata: { name: "other" } }, "metadata.name: must begin with integration-"],
      ["of another type", { type: "example.com/other" }, "type: must be Opaque"],
      ["with a hash", { data: { sha256: "YQ==" } }, "data: the controller may set"],
    ],
  },
  {
    process: "controller",
    write: "controller-token-changes",
    path: tokens,
    stored: { ...credentials, metadata: { ...credentials.metadata, name: "integration-stored" } },
    object: { data: { "client-secret": "YQ==" } },
    refused: [["of a hash", { data: { sha256: "YQ==" } }, "data: the controller may change"]],
  },
];

export const connectorTried: readonly Tried[] = [...kinds, ...records, ...copies];
