import { expect, it } from "vitest";

import { slackApp } from "../../../test/support/slack-app.ts";
import { missingScopes, scopesIn, scopesOfManifest, type SeenScopes } from "./missing-scopes.ts";

const all = [...scopesOfManifest];
const without = (...scopes: string[]): string[] => all.filter((scope) => !scopes.includes(scope));

it("the scopes are those of the manifest that people give to Slack", () => {
  expect(all.sort()).toEqual([...slackApp.oauth_config.scopes.bot].sort());
});

it.each<{ name: string; known?: string[]; seen: SeenScopes; want: string[] }>([
  { name: "a call that went well", seen: { needed: [], granted: all }, want: [] },
  {
    name: "a call that was refused",
    seen: { needed: ["reactions:write"], granted: without("reactions:write") },
    want: ["reactions:write"],
  },
  {
    name: "a refusal without the app's scopes",
    seen: { needed: ["chat:write"], granted: undefined },
    want: ["chat:write"],
  },
  {
    name: "a refusal that names those of all kinds of channels",
    seen: { needed: ["channels:read", "groups:read", "mpim:read", "im:read"], granted: without("groups:read") },
    want: ["groups:read"],
  },
  { name: "a refusal for what our manifest does not ask for", seen: { needed: ["im:read"], granted: all }, want: [] },
  {
    name: "another refusal",
    known: ["users:read"],
    seen: { needed: ["chat:write"], granted: without("chat:write", "users:read") },
    want: ["chat:write", "users:read"],
  },
  {
    name: "a call that needs another scope and went well",
    known: ["users:read"],
    seen: { needed: [], granted: without("users:read") },
    want: ["users:read"],
  },
  {
    name: "an answer that does not say",
    known: ["users:read"],
    seen: { needed: [], granted: undefined },
    want: ["users:read"],
  },
  { name: "the app was installed again", known: ["users:read"], seen: { needed: [], granted: all }, want: [] },
])("after $name the app lacks $want", ({ known = [], seen, want }) => {
  expect(missingScopes(known, seen)).toEqual(want);
});

it.each<[unknown, string[]]>([
  ["chat:write", ["chat:write"]],
  ["channels:read, groups:read,mpim:read", ["channels:read", "groups:read", "mpim:read"]],
  ["", []],
  [undefined, []],
  [7, []],
  ["<planted>,chat:write", ["chat:write"]],
  ["x".repeat(64), ["x".repeat(64)]],
  ["x".repeat(65), []],
  [Array.from({ length: 201 }, () => "chat:write").join(), Array.from({ length: 200 }, () => "chat:write")],
])("%j holds the scopes %j", (text, want) => {
  expect(scopesIn(text)).toEqual(want);
});
