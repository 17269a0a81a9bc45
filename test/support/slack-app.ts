import { readFileSync } from "node:fs";
import { join } from "node:path";

import { parse } from "yaml";

/** The app's manifest that people give to Slack, as far as tests read it. */
interface AppManifest {
  oauth_config: { scopes: { bot: string[] } };
  settings: {
    event_subscriptions: { request_url: string; bot_events: string[] };
    interactivity: { is_enabled: boolean; request_url: string };
  };
}

const file = join(import.meta.dirname, "..", "..", "docs", "operate", "integrations", "slack-app-manifest.yaml");

export const slackApp = parse(readFileSync(file, "utf8")) as AppManifest;

/** Kinds of places by the first letter of their ids; a private channel has a C or a G. */
const kinds: Readonly<Record<string, readonly string[]>> = { C: ["channels", "groups"], G: ["groups"], D: ["im"] };

/** Scopes of which a call needs one, as Slack documents them; a method that is left out needs none. */
const scopes: Readonly<Record<string, (kindsOfPlace: readonly string[]) => readonly string[]>> = {
  "users.info": () => ["users:read"],
  "usergroups.users.list": () => ["usergroups:read"],
  "conversations.info": (places) => places.map((kind) => `${kind}:read`),
  "conversations.replies": (places) => places.map((kind) => `${kind}:history`),
  "chat.postMessage": () => ["chat:write"],
  "chat.update": () => ["chat:write"],
  "chat.postEphemeral": () => ["chat:write"],
  "reactions.add": () => ["reactions:write"],
  "reactions.remove": () => ["reactions:write"],
  "files.getUploadURLExternal": () => ["files:write"],
  "files.completeUploadExternal": () => ["files:write"],
  files: () => ["files:read"],
};

/** The scopes of which a call about a channel needs one, where an app with these has none of them. */
export function lackedFor(
  granted: ReadonlySet<string>,
  method: string,
  channel: string,
): readonly string[] | undefined {
  const needed = scopes[method]?.(kinds[channel.slice(0, 1)] ?? []);
  return needed?.some((scope) => granted.has(scope)) === false ? needed : undefined;
}
