import { afterEach, beforeEach, expect, it } from "vitest";

import { slackCalls } from "../../../test/support/slack-calls.ts";
import { type SlackServer, startSlackServer } from "../../../test/support/slack-server.ts";
import { scopesOfManifest } from "./missing-scopes.ts";

// Against the stand-in of Slack's, which answers a call that a scope is missing for as Slack does.

let server: SlackServer;

beforeEach(async () => {
  server = await startSlackServer();
});
afterEach(() => server.close());

const granted = (...without: string[]): string[] => scopesOfManifest.filter((scope) => !without.includes(scope)).sort();
const sorted = (scopes: readonly string[] = []): string[] => [...scopes].sort();

it("a call says which scopes the app has, and a refused one which it needs", async () => {
  const { slack, integration, ends } = slackCalls(server.url);
  const react = (): Promise<unknown> => {
    const timestamp = server.say({ channel: "C1", user: "U1", text: "fix it" });
    return slack.call(integration, "reactions.add", (web) =>
      web.reactions.add({ channel: "C1", timestamp, name: "eyes" }),
    );
  };
  await react();
  server.scopes.delete("reactions:write");
  await expect(react()).rejects.toMatchObject({
    failure: "refused",
    code: "missing_scope",
    message: "Slack refused reactions.add: missing_scope, which is reactions:write",
  });
  expect(ends.map(({ scopes }) => ({ ...scopes, granted: sorted(scopes?.granted) }))).toEqual([
    { needed: [], granted: granted() },
    { needed: ["reactions:write"], granted: granted("reactions:write") },
  ]);
});

it("a file that Slack withholds needs files:read, once it is known what the app has", async () => {
  const { slack, integration, ends } = slackCalls(server.url);
  const { url_private: url } = server.upload(new Uint8Array(3));
  const fetchFile = (): Promise<unknown> => slack.download(integration, url, 10);
  server.scopes.delete("files:read");
  expect(await fetchFile()).toEqual({ loss: "withheld" });
  await slack.call(integration, "auth.test", (web) => web.auth.test());
  expect(await fetchFile()).toEqual({ loss: "withheld" });
  server.scopes.add("files:read");
  await fetchFile();
  expect(ends.map(({ operation, scopes }) => [operation, scopes?.needed])).toEqual([
    ["files", []],
    ["auth.test", []],
    ["files", ["files:read"]],
    ["files", []],
  ]);
});
