import { expect, it } from "vitest";

import { aSecret } from "../../../test/support/builders.ts";
import { type Integration, labels } from "../../api/v1alpha1/index.ts";
import { integrationSecretName } from "../../api/v1alpha1/names.ts";
import type { Secret } from "../../kube/core-resources.ts";
import { NotLeadingError } from "../../kube/outcome.ts";
import { FakeClock } from "../../lib/fake-clock.ts";
import type { CallEnd } from "../call-observer.ts";
import { SlackApi, type SlackApiDeps } from "./slack-api.ts";

const integration = { metadata: { name: "slack", uid: "u" }, spec: {} } as Integration;

it("only an upload needs less than the bot's token", async () => {
  const ends: CallEnd[] = [];
  const slack = new SlackApi({
    client: { find: () => Promise.resolve(undefined) },
    clock: new FakeClock(),
    tokensNamespace: "tokens",
    slackUrl: "https://slack.invalid",
    fetch: () => Promise.reject(new Error("no network")),
    observer: { called: (_integration, end) => void ends.push(end) },
    assertLeading: () => undefined,
  });
  await expect(slack.call(integration, "auth.test", (web) => web.auth.test())).rejects.toThrow();
  await expect(slack.download(integration, "https://files.invalid/a", 1)).rejects.toThrow();
  await expect(slack.upload(integration, "https://files.invalid/b", new Uint8Array(1))).rejects.toThrow();
  expect(ends.map(({ operation, needsLess = false }) => [operation, needsLess])).toEqual([
    ["auth.test", false],
    ["files", false],
    ["files.upload", true],
  ]);
});

/** Integrations with these tokens by UID; the UIDs whose Secret was read, and the tokens with which Slack was called. */
function slackOf(tokens: Readonly<Record<string, string>>) {
  const clock = new FakeClock();
  const leader = { isLeading: true };
  const read: string[] = [];
  const called: string[] = [];
  const find = (_resource: unknown, { name }: { name: string }): Promise<Secret> => {
    const uid = Object.keys(tokens).find((one) => integrationSecretName(one) === name) ?? "";
    read.push(uid);
    return Promise.resolve(
      aSecret({ "bot-token": tokens[uid] ?? "" }, { name, labels: { [labels.integrationUid]: uid } }),
    );
  };
  const slack = new SlackApi({
    client: { find } as unknown as SlackApiDeps["client"],
    clock,
    tokensNamespace: "tokens",
    slackUrl: "https://slack.invalid",
    fetch: (_url, init) => {
      called.push(new Headers(init?.headers).get("authorization")?.replace("Bearer ", "") ?? "");
      return Promise.resolve(Response.json({ ok: true, ts: "1.0" }));
    },
    observer: { called: () => undefined },
    assertLeading: () => {
      if (!leader.isLeading) throw new NotLeadingError("another leads");
    },
  });
  const post = (uid: string, channel: string): Promise<unknown> => {
    const by = { metadata: { uid }, spec: {} } as Integration;
    const call = { operation: "chat.postMessage", channel };
    return slack.post(by, call, (web) => web.chat.postMessage({ channel, text: "hello" }));
  };
  return { clock, leader, slack, read, called, post };
}

it("spaces what Integrations of one app post in a channel, and nobody waits for another app", async () => {
  const { clock, called, post } = slackOf({ a: "app", b: "app", stranger: "other" });
  const first = post("a", "C1");
  const second = post("b", "C1");
  await Promise.all([first, post("stranger", "C1"), post("b", "C2")]);
  expect(called.sort()).toEqual(["app", "app", "other"]);
  clock.advance(1_100);
  await second;
  expect(called).toHaveLength(4);
});

it("a token that waits for its turn is not used once it is withdrawn", async () => {
  const tokens: Record<string, string> = { a: "app" };
  const { clock, called, post } = slackOf(tokens);
  await post("a", "C1");
  const second = post("a", "C1");
  tokens.a = "";
  clock.advance(60_000);
  await expect(second).rejects.toMatchObject({ failure: "credentials" });
  expect(called).toEqual(["app"]);
});

it("what waits for its turn is not posted once another replica leads", async () => {
  const { clock, leader, called, post } = slackOf({ a: "app" });
  await post("a", "C1");
  const second = post("a", "C1");
  leader.isLeading = false;
  clock.advance(1_100);
  await expect(second).rejects.toThrow(NotLeadingError);
  expect(called).toEqual(["app"]);
});

it("keeps nothing of an Integration that is forgotten", async () => {
  const { slack, read, post } = slackOf({ a: "app", b: "app" });
  await post("a", "C1");
  await post("a", "C2");
  expect(read).toEqual(["a"]);
  slack.forget("b");
  await post("a", "C3");
  expect(read).toEqual(["a"]);
  slack.forget("a");
  await post("a", "C4");
  expect(read).toEqual(["a", "a"]);
});
