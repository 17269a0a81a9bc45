import { integrationSecretName, type Integration, labels } from "../../src/api/v1alpha1/index.ts";
import type { CallEnd } from "../../src/connector/call-observer.ts";
import { SlackApi } from "../../src/connector/slack/slack-api.ts";
import type { KubeClient } from "../../src/kube/client.ts";
import { FakeClock } from "../../src/lib/fake-clock.ts";

/** The connector's calls of Slack's stand-in for an Integration, without an API server; `ends` is how they ended. */
export function slackCalls(slackUrl: string, { fetch, clock = new FakeClock() }: SlackCallsOptions = {}) {
  const integration = { metadata: { namespace: "shop", name: "slack", uid: "u1" }, spec: {} } as unknown as Integration;
  const secret = {
    metadata: { name: integrationSecretName("u1"), labels: { [labels.integrationUid]: "u1" } },
    data: { "bot-token": Buffer.from("xoxb-planted-token").toString("base64") },
  };
  const client = { find: () => Promise.resolve(secret) } as unknown as KubeClient;
  const ends: CallEnd[] = [];
  const observer = { called: (_integration: Integration, end: CallEnd): void => void ends.push(end) };
  const assertLeading = (): undefined => undefined;
  const slack = new SlackApi({ client, clock, tokensNamespace: "tokens", slackUrl, fetch, observer, assertLeading });
  return { slack, integration, ends };
}

interface SlackCallsOptions {
  fetch?: typeof globalThis.fetch | undefined;
  clock?: FakeClock;
}
