import { expect, it } from "vitest";

import { integrationSecretName, type Integration, labels } from "../../api/v1alpha1/index.ts";
import type { KubeClient } from "../../kube/client.ts";
import { FakeClock } from "../../lib/fake-clock.ts";
import type { CallEnd } from "../call-observer.ts";
import { readReplies } from "./read-replies.ts";
import { SlackApi } from "./slack-api.ts";

const longestAnswer = 2_097_152;
const integration = { metadata: { name: "slack", uid: "u" }, spec: {} } as Integration;
const secret = {
  metadata: { name: integrationSecretName("u"), labels: { [labels.integrationUid]: "u" } },
  data: { "bot-token": Buffer.from("xoxb-1").toString("base64") },
};

/** A thread of so many messages of so many bytes each, at a server that answers by pages. */
function threadOf(count: number, bytesEach: number) {
  const limits: number[] = [];
  const ends: CallEnd[] = [];
  const answer: typeof fetch = (_url, init) => {
    const form = new URLSearchParams(init?.body as string);
    const [from, limit] = [Number(form.get("cursor") ?? 0), Number(form.get("limit"))];
    limits.push(limit);
    const all = Array.from({ length: count }, (_, index) => ({ ts: String(index), text: "x".repeat(bytesEach) }));
    const next_cursor = from + limit < count ? String(from + limit) : "";
    const body = { ok: true, messages: all.slice(from, from + limit), response_metadata: { next_cursor } };
    return Promise.resolve(Response.json(body));
  };
  const slack = new SlackApi({
    client: { find: () => Promise.resolve(secret) } as unknown as Pick<KubeClient, "find">,
    clock: new FakeClock(),
    tokensNamespace: "tokens",
    slackUrl: "https://slack.invalid",
    fetch: answer,
    observer: { called: (_integration, end) => void ends.push(end) },
    assertLeading: () => undefined,
  });
  return { limits, ends, read: (limit: number) => readReplies(slack, integration, { channel: "C1", ts: "0", limit }) };
}

it.each([
  { bytesEach: 1_000, limits: [8] },
  { bytesEach: longestAnswer / 8 - 100, limits: [8] },
  { bytesEach: longestAnswer / 8 + 1, limits: [8, 4, 4] },
  { bytesEach: longestAnswer / 4 + 1, limits: [8, 4, 2, 2, 4, 2, 2] },
])("messages of $bytesEach bytes are read with limits $limits", async ({ bytesEach, limits: want }) => {
  const { limits, read } = threadOf(20, bytesEach);
  const { messages, cursor } = await read(8);
  expect(messages.map(({ ts }) => ts)).toEqual(["0", "1", "2", "3", "4", "5", "6", "7"]);
  expect({ cursor, limits }).toEqual({ cursor: "8", limits: want });
});

it("the end of a thread is its end, however it was read", async () => {
  const { read } = threadOf(3, longestAnswer / 3);
  const { messages, cursor } = await read(8);
  expect({ count: messages.length, cursor }).toEqual({ count: 3, cursor: undefined });
});

it("one message that is too long is refused, which does not count as Slack being away", async () => {
  const { ends, read } = threadOf(1, longestAnswer + 1);
  await expect(read(2)).rejects.toMatchObject({ failure: "refused" });
  expect(ends.map(({ error }) => error?.failure)).toEqual(["refused", "refused"]);
});
