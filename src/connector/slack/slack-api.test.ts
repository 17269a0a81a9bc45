import { expect, it } from "vitest";

import type { Integration } from "../../api/v1alpha1/index.ts";
import { FakeClock } from "../../lib/fake-clock.ts";
import type { CallEnd } from "../call-observer.ts";
import { SlackApi } from "./slack-api.ts";

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
