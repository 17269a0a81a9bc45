import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { slackCalls } from "../../../test/support/slack-calls.ts";
import { callsAMinute } from "../../../test/support/slack-tiers.ts";
import { type SlackServer, startSlackServer } from "../../../test/support/slack-server.ts";
import type { Post } from "../../api/v1alpha1/index.ts";
import { FakeClock } from "../../lib/fake-clock.ts";
import { afterTry } from "../conversations/posts.ts";
import { ProviderError } from "../provider-error.ts";
import { slackProvider, type SlackProviderDeps } from "./provider.ts";

// Against the stand-in of Slack's, which takes as many calls of a method as its tier says.

const clock = new FakeClock();
let server: SlackServer;

beforeEach(async () => {
  server = await startSlackServer();
  server.tiers.now = () => clock.monotonicMs();
});
afterEach(() => server.close());

/** What a call ended with, in words: `done`, or how it failed and when it may be made again. */
async function endOf(called: Promise<unknown>): Promise<unknown> {
  return called.then(
    () => "done",
    (error: unknown) => {
      if (!(error instanceof ProviderError)) throw error;
      return { failure: error.failure, retryAfterMs: error.retryAfterMs };
    },
  );
}

const ts = (): string => server.say({ channel: "C1", user: "U1", text: "fix it" });
const kinds: Readonly<Record<string, () => Post>> = {
  "chat.update": () => aPost("Progress", ts()),
  "chat.postEphemeral": () => aPost("PrivateNote", ts()),
};

function aPost(kind: Post["kind"], messageTS: string): Post {
  const slack = { channelID: "C1", threadTS: messageTS, messageTS, userID: "U1" };
  return { id: "p", kind, eventUID: "e", progress: "Pending", tries: 0, text: "At work.", sessionName: "s", slack };
}

describe.each([
  { method: "chat.update", waitMs: 2_000 },
  { method: "chat.postEphemeral", waitMs: 1_000 },
])("$method", ({ method, waitMs }) => {
  const show = (post: Post): Promise<unknown> => {
    const { slack, integration } = slackCalls(server.url, { clock });
    const provider = slackProvider({ slack } as unknown as SlackProviderDeps);
    const conversation = { metadata: { name: "c" } } as Parameters<typeof provider.post>[0]["conversation"];
    return endOf(provider.post({ integration, conversation }, { post }, undefined));
  };

  it("is taken as often as its tier says; the next waits for as long as Slack asks, and is taken then", async () => {
    const post = kinds[method]!();
    for (let calls = 0; calls < callsAMinute[method]!; calls += 1) expect(await show(post)).toBe("done");
    expect(await show(post)).toEqual({ failure: "throttled", retryAfterMs: waitMs });
    const error = new ProviderError("throttled", "Slack wants fewer calls", { retryAfterMs: waitMs });
    const waiting = afterTry(post, error, clock.now());
    expect(waiting).toMatchObject({ progress: "Pending", tries: 1 });
    expect(Date.parse(waiting.nextTryTime ?? "") - clock.now().getTime()).toBe(waitMs);
    clock.advance(waitMs);
    expect(await show(waiting)).toBe("done");
  });
});

it.each([
  { header: "7", wantMs: 7_000 },
  { header: "0.2", wantMs: 1_000 },
  { header: undefined, wantMs: 1_000 },
  { header: "soon", wantMs: 1_000 },
  { header: "-5", wantMs: 1_000 },
])("an answer 429 with Retry-After $header waits for $wantMs ms", async ({ header, wantMs }) => {
  const headers = header === undefined ? undefined : { "retry-after": header };
  const fetch = (): Promise<Response> =>
    Promise.resolve(new Response("", { status: 429, ...(headers && { headers }) }));
  const { slack, integration } = slackCalls("https://slack.invalid", { fetch });
  const called = slack.call(integration, "auth.test", (web) => web.auth.test());
  expect(await endOf(called)).toEqual({ failure: "throttled", retryAfterMs: wantMs });
});
