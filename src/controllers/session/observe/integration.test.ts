import { expect, it } from "vitest";

import { aSession } from "../../../../test/support/builders.ts";
import { apiVersion, Conversation, Integration, labels, type Session } from "../../../api/v1alpha1/index.ts";
import type { KubeClient } from "../../../kube/client.ts";
import { integrationProblem } from "./integration.ts";

const integration = {
  metadata: { name: "tracker", namespace: "shop", uid: "i1" },
  spec: {
    serviceAccountName: "runner",
    sandboxClassName: "standard",
    linear: {
      repositories: [{ name: "api" }],
      projects: [],
      teams: [{ key: "ENG", target: { environmentRef: { name: "all" } } }],
    },
  },
};
const chat = {
  ...integration,
  spec: {
    serviceAccountName: "runner",
    sandboxClassName: "standard",
    slack: {
      repositories: [{ name: "api" }],
      environments: [{ name: "all" }],
      rules: [{ keyword: "web", target: { repositoryRef: { name: "web" } } }],
      channels: [{ id: "C1", target: { repositoryRef: { name: "ops" } } }],
    },
  },
};
const conversation = {
  metadata: { name: "c", namespace: "shop", uid: "c1" },
  spec: { integrationRef: { name: "tracker", uid: "i1" }, subject: "issue/1" },
};
const owner = { apiVersion, kind: "Conversation", name: "c", uid: "c1" };

interface Given {
  metadata?: Session["metadata"];
  spec?: Partial<Session["spec"]>;
  stored?: { conversation?: object | undefined; integration?: object | undefined };
}

function problemOf({ metadata, spec, stored = { conversation, integration } }: Given): Promise<string | undefined> {
  const find = (resource: unknown): Promise<unknown> =>
    Promise.resolve(
      resource === Conversation ? stored.conversation : resource === Integration ? stored.integration : undefined,
    );
  const session = aSession({
    metadata: {
      namespace: "shop",
      labels: { [labels.conversationUid]: "c1" },
      ownerReferences: [owner],
      ...metadata,
    },
    spec: { sandboxClassName: "standard", target: { repositoryRefs: [{ name: "api" }] }, ...spec },
  });
  return integrationProblem({ find } as unknown as Pick<KubeClient, "find">, session);
}

const ofChat = (target: Session["spec"]["target"]): Given => ({
  spec: { target },
  stored: { conversation, integration: chat },
});

const cases: readonly (Given & { name: string; want: string | undefined })[] = [
  { name: "works on what a chat offers", ...ofChat({ environmentRef: { name: "all" } }), want: undefined },
  { name: "works on what a rule names", ...ofChat({ repositoryRefs: [{ name: "web" }] }), want: undefined },
  { name: "works on what a channel has", ...ofChat({ repositoryRefs: [{ name: "ops" }] }), want: undefined },
  {
    name: "works on what no chat offers",
    ...ofChat({ repositoryRefs: [{ name: "secrets" }] }),
    want: "its target is not what Integration tracker allows",
  },
  { name: "is as its Integration allows", want: undefined },
  { name: "works on a mapped Environment", spec: { target: { environmentRef: { name: "all" } } }, want: undefined },
  { name: "is not the connector's", metadata: { labels: {}, ownerReferences: [] }, want: undefined },
  {
    name: "has another ServiceAccount",
    spec: { serviceAccountName: "admin" },
    want: "its serviceAccountName is not what Integration tracker allows",
  },
  {
    name: "has another class",
    spec: { sandboxClassName: "large" },
    want: "its sandboxClassName is not what Integration tracker allows",
  },
  {
    name: "has a command",
    spec: { agent: { command: ["sh"], protocol: "exec", permissionRequests: "Allow" } },
    want: "its agent is not what Integration tracker allows",
  },
  { name: "has settings", spec: { settings: {} }, want: "its settings is not what Integration tracker allows" },
  {
    name: "has a payload",
    spec: { payloadRunRef: { name: "r" } },
    want: "its payloadRunRef is not what Integration tracker allows",
  },
  {
    name: "works on another Repository",
    spec: { target: { repositoryRefs: [{ name: "secrets" }] } },
    want: "its target is not what Integration tracker allows",
  },
  {
    name: "works on one Repository more",
    spec: { target: { repositoryRefs: [{ name: "api" }, { name: "secrets" }] } },
    want: "its target is not what Integration tracker allows",
  },
  { name: "works on nothing", spec: { target: {} }, want: "its target is not what Integration tracker allows" },
  { name: "has lost its owner", metadata: { ownerReferences: [] }, want: "it has no Conversation" },
  {
    name: "is owned by a kind of another group",
    metadata: { ownerReferences: [{ ...owner, apiVersion: "example.com/v1" }] },
    want: "it has no Conversation",
  },
  { name: "has a Conversation that is gone", stored: { integration }, want: "its Conversation c is gone" },
  {
    name: "has a Conversation that was made again",
    stored: { integration, conversation: { ...conversation, metadata: { ...conversation.metadata, uid: "c2" } } },
    want: "its Conversation c is gone",
  },
  { name: "has an Integration that is gone", stored: { conversation }, want: "its Integration tracker is gone" },
  {
    name: "has an Integration that was made again",
    stored: { conversation, integration: { ...integration, metadata: { ...integration.metadata, uid: "i2" } } },
    want: "its Integration tracker is gone",
  },
];

it.each(cases)("a Session that $name: $want", async ({ want, ...given }) => {
  expect(await problemOf(given)).toBe(want);
});
