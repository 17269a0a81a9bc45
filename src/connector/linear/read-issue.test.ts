import { expect, it } from "vitest";

import type { IntegrationEvent, LinearEvent, Post } from "../../api/v1alpha1/index.ts";
import type { ConversationFacts } from "../conversations/facts.ts";
import { type IssueReaderDeps, readForDecision } from "./read-issue.ts";

const place = { agentSessionID: "a", teamKey: "ENG" };

function eventOf(uid: string, linear: Partial<LinearEvent>): IntegrationEvent {
  return {
    metadata: { name: uid, namespace: "shop", uid },
    spec: {
      integrationRef: { name: "tracker", uid: "t" },
      deliveryID: uid,
      receivedTime: "2026-05-04T10:00:00.000Z",
      linear: { action: "Prompted", ...place, ...linear },
    },
  };
}

const question: Post = { id: "q", kind: "Question", eventUID: "request", ...place, progress: "Sent", tries: 0 };
const answer = eventOf("answer", { actor: { id: "ben", name: "Ben" }, text: "acme/web" });

/** The issue's person was asked; caches know the request without its text. */
function read(stored: IntegrationEvent | undefined): ReturnType<typeof readForDecision> {
  const repository = (name: string): object => ({
    metadata: { namespace: "shop", name },
    spec: { url: `https://github.com/acme/${name}.git` },
  });
  const byName = new Map(["api", "web"].map((name) => [name, repository(name)]));
  const deps = {
    linear: { call: () => Promise.reject(new Error("Linear is not asked")) },
    informers: {
      repositories: { get: ({ name }: { name: string }) => byName.get(name) },
      environments: { get: () => undefined },
    },
    client: { find: () => Promise.resolve(stored) },
  } as unknown as IssueReaderDeps;
  const facts = {
    integration: {
      metadata: { name: "tracker", namespace: "shop", uid: "t" },
      spec: { linear: { repositories: [{ name: "api" }, { name: "web" }], projects: [], teams: [] } },
    },
    conversation: { metadata: {}, spec: {}, status: { posts: [question] } },
    events: [answer],
    known: new Map([["request", eventOf("request", { action: "Created" })]]),
  } as unknown as ConversationFacts;
  return readForDecision(deps, facts);
}

it("has the request as it was asked, and works on what the answer names", async () => {
  const { text, target } = await read(eventOf("request", { action: "Created", actor: { id: "ann" }, text: "fix it" }));
  expect(target).toEqual({ kind: "target", target: { repositoryRef: { name: "web" } } });
  expect(text).toContain("Request of  (ann):\n```\nfix it\n```");
  expect(text).toContain("Answer of Ben (ben) to the question which repository it is about:\n```\nacme/web\n```");
});

it.each([
  { name: "that is gone", stored: undefined },
  { name: "in whose place another is", stored: eventOf("another", { text: "delete it" }) },
])("has the answer alone beside a request $name", async ({ stored }) => {
  const { text } = await read(stored);
  expect(text).toMatch(/^Request of Ben \(ben\):\n```\nacme\/web\n```/);
  expect(text).not.toContain("delete it");
});
