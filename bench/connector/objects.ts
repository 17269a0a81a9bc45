import { randomUUID } from "node:crypto";

import { Conversation, Integration, labels, Session } from "../../src/api/v1alpha1/index.ts";
import type { Post, IntegrationEvent, Prompt } from "../../src/api/v1alpha1/index.ts";
import { withPosts } from "../../src/connector/conversations/posts.ts";
import { ownerReferenceTo } from "../../src/lib/resource.ts";

/** What one conversation of Slack's leaves in the cluster, by plural. */
export interface Objects {
  conversations: Conversation[];
  sessions: Session[];
  prompts: Prompt[];
  integrationevents: IntegrationEvent[];
}

const integrationUid = randomUUID();
const time = "2026-11-24T12:00:00.000Z";

/** The Integration that the conversations are of. */
export const slackIntegration = {
  metadata: { name: "slack", namespace: "tenant", uid: integrationUid, resourceVersion: "7", generation: 1 },
  spec: {
    type: "Slack",
    suspend: false,
    serviceAccountName: "runner",
    signingSecretRef: { name: "signing" },
    credentialsSecretRef: { name: "app" },
    access: { users: ["U0123ABCD"], teams: [], channels: [], userGroups: [] },
    slack: { teamID: "T0123ABCD", repositories: [{ name: "checkout" }], channels: [], rules: [] },
  },
};

/** A conversation in which all is answered, with so many follow-ups. */
export function conversationObjects(index: number, followUps: number): Objects {
  const uid = randomUUID();
  const threadTS = `1767225600.${String(index).padStart(6, "0")}`;
  const meta = (name: string) => ({
    name,
    namespace: "tenant",
    uid: randomUUID(),
    resourceVersion: String(100_000 + index),
    generation: 1,
    creationTimestamp: time,
  });
  const integration = { metadata: { ...meta("slack"), uid: integrationUid } };
  const integrationRef = { name: "slack", uid: integrationUid };
  const succeeded = {
    type: "Succeeded",
    status: "True",
    reason: "Completed",
    message: "It is done",
    lastTransitionTime: time,
  } as const;
  const events = Array.from({ length: 1 + followUps }, (): IntegrationEvent => ({
    metadata: { ...meta(`slack-${randomUUID()}`), ownerReferences: [ownerReferenceTo(Integration, integration)] },
    spec: {
      integrationRef,
      deliveryID: `Ev${randomUUID().slice(0, 8)}`,
      receivedTime: time,
      slack: {
        action: "Asked",
        channelID: "C0123ABCD",
        threadTS,
        ts: threadTS,
        actor: { id: "U0123ABCD", teamID: "T0123ABCD" },
        text: "fix the login ".repeat(10),
      },
    },
    status: {
      observedGeneration: 1,
      conditions: [succeeded],
      triggered: 1,
      steered: 0,
      skipped: 0,
      sessionName: `slack-${index}`,
      promptName: `slack-${index}-p`,
      settledTime: time,
    },
  }));
  const conversation: Conversation = {
    metadata: {
      ...meta(`slack-${index}-conversation`),
      uid,
      ownerReferences: [ownerReferenceTo(Integration, integration)],
    },
    spec: { integrationRef, subject: `thread/C0123ABCD/${threadTS}` },
    status: {
      observedGeneration: 1,
      conditions: [{ ...succeeded, type: "Ready" }],
      generation: 1,
      sessionName: `slack-${index}-session`,
      startEventUID: events[0]?.metadata.uid,
      target: { repositoryRef: { name: "checkout" } },
      startTime: time,
      expireTime: time,
      lastPromptTS: threadTS,
      lastPromptTime: time,
      posts: withPosts(
        events.flatMap(({ metadata: { uid: eventUID = "" } }, at) =>
          postsOf(eventUID, { threadTS, isFirst: at === 0, sessionName: `slack-${index}-session` }),
        ),
        [],
      ),
    },
  };
  const session = {
    metadata: {
      ...meta(`slack-${index}-session`),
      labels: { [labels.conversationUid]: uid },
      annotations: { "runwright.dev/requested-by": "slack:T0123ABCD:U0123ABCD" },
      ownerReferences: [ownerReferenceTo(Conversation, conversation)],
    },
    spec: {
      title: "fix the login",
      target: { repositoryRefs: [{ name: "checkout" }] },
      serviceAccountName: "runner",
      idleTimeoutSeconds: 600,
      priority: 0,
    },
    status: {
      observedGeneration: 1,
      conditions: [{ ...succeeded, type: "Ready", reason: "Stopped" }],
      state: "Stopped",
    },
  } as unknown as Session;
  const prompts = events.map((): Prompt => ({
    metadata: {
      ...meta(`slack-${index}-${randomUUID()}`),
      labels: { [labels.conversationUid]: uid, [labels.sessionUid]: session.metadata.uid ?? "" },
      annotations: { "runwright.dev/requested-by": "slack:T0123ABCD:U0123ABCD" },
      ownerReferences: [ownerReferenceTo(Session, session)],
    },
    spec: { sessionRef: { name: session.metadata.name ?? "" }, text: "fix the login ".repeat(100) },
    status: {
      observedGeneration: 1,
      conditions: [succeeded],
      startTime: time,
      completionTime: time,
      result: { summary: "The login works again. ".repeat(20), branch: "fix-login" },
    },
  }));
  return { conversations: [conversation], sessions: [session], prompts, integrationevents: events };
}

/** The posts of one request: all were sent. */
function postsOf(
  eventUID: string,
  { threadTS, isFirst, sessionName }: { threadTS: string; isFirst: boolean; sessionName: string },
): Post[] {
  const slack = { channelID: "C0123ABCD", threadTS, userID: "U0123ABCD" };
  const post = (kind: Post["kind"], rest: Partial<Post> = {}): Post => ({
    id: randomUUID(),
    kind,
    eventUID,
    slack,
    sessionName,
    tries: 0,
    progress: "Sent",
    ...rest,
  });
  const shown = { ...slack, messageTS: threadTS };
  if (!isFirst)
    return [post("Answer", { slack: { ...slack, afterTS: threadTS } }), post("Reaction", { slack: shown, text: "" })];
  const text = "Working on repository checkout.";
  return [post("Answer"), post("Started", { slack: shown, text }), post("Progress", { text: `${text}\nStatus: done` })];
}
