import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer, text } from "node:stream/consumers";

import type { KnownBlock } from "@slack/types";

import { lackedFor, slackApp } from "./slack-app.ts";
import { slackHomes, type SlackHomes } from "./slack-home.ts";
import { slackMedia, type SlackMedia } from "./slack-media.ts";
import { SlackTiers } from "./slack-tiers.ts";

/** A message that people see. */
export interface SlackMessage {
  channel: string;
  ts: string;
  thread_ts?: string;
  user?: string;
  bot_id?: string;
  subtype?: string;
  text: string;
  blocks?: KnownBlock[];
  metadata?: { event_type: string; event_payload: { id: string; part: number } };
}

/** What happens to a call in place of the usual. `lose` carries it out and drops the answer. */
export type SlackFault = "drop" | "lose" | "html" | "redirect" | "throttle" | "error" | "refuse" | "revoked" | "hang";

/** A file of a message, as Slack lists it. */
export interface SlackFile {
  id: string;
  name: string;
  mimetype: string;
  size: number;
  url_private: string;
  url_private_download: string;
}

type Hook = (method: string, caller: string) => void | Promise<void>;

export interface SlackServer {
  readonly url: string;
  readonly team: { id: string; name: string };
  readonly botUser: string;
  token: string;
  /** Tokens that are valid beside it. */
  readonly otherTokens: Set<string>;
  /** In the order of their times; of a message that was changed its last state. */
  readonly messages: SlackMessage[];
  /** Changes of messages, in their order. */
  readonly changes: { ts: string; text: string }[];
  /** Reactions of the bot's that are there: the message's time and the name. */
  readonly reactions: Set<string>;
  readonly ephemeral: { channel: string; user: string; text: string }[];
  readonly calls: string[];
  /** Why calls were refused that no limit of Slack's allows. */
  readonly refused: string[];
  fault: ((method: string, channel: string, token: string) => SlackFault | undefined) | undefined;
  before: Hook | undefined;
  after: Hook | undefined;
  /** Callers at `/caller-NAME` whose process has ended: nothing of them is taken any more. */
  readonly dead: Set<string>;
  /** Where redirects lead to; a token that is sent there is noted. */
  readonly leaked: string[];
  /** What the app may do: all that our manifest asks for. */
  readonly scopes: Set<string>;
  /** Members of user groups. */
  readonly groups: Map<string, string[]>;
  readonly homes: SlackHomes;
  /** How many calls it takes. */
  readonly tiers: SlackTiers;
  /** Files that the bot has shared. */
  readonly media: SlackMedia;
  /** Workspaces of people who are of another one, by their ids. */
  readonly otherTeams: Map<string, string>;
  /** Uploads a file, and gives what Slack lists in a message; `said` replaces what it says of it. */
  upload(content: Uint8Array, said?: Partial<SlackFile>): SlackFile;
  /** A message of a person's; gives its time. */
  say(message: Omit<SlackMessage, "ts"> & { ts?: string }): string;
  thread(channel: string, root: string): SlackMessage[];
  close(): Promise<void>;
}

class Refused extends Error {
  /** What Slack says beside the code. */
  readonly more: object;

  constructor(code: string, more: object = {}) {
    super(code);
    this.more = more;
  }
}

/** What Slack answers to a call that was carried out before. */
const expected = new Set(["already_reacted", "no_reaction", "no_such_subteam", "hash_conflict", "not_enabled"]);

/** Slack's Web API as far as the connector calls it, with its limits. */
export async function startSlackServer(address = "127.0.0.1"): Promise<SlackServer> {
  const server = createServer((request, response) => void answer(request, response).catch(() => response.destroy()));
  server.listen(0, address);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const lastPost = new Map<string, number>();
  let ticks = 0;
  const nextTime = (): string => {
    ticks += 1;
    return `${Math.floor(Date.now() / 1_000)}.${String(ticks).padStart(6, "0")}`;
  };

  const files = new Map<string, { content: Uint8Array; type: string }>();
  /** Without a token that may read files, Slack answers with its page for signing in. */
  const answerFile = (request: IncomingMessage, response: ServerResponse): void => {
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1] ?? "";
    const fault = slack.fault?.("files", "", token);
    slack.calls.push("files");
    if (fault === "drop") return void request.socket.destroy();
    if (fault === "redirect") return void response.writeHead(302, { location: `${slack.url}/elsewhere` }).end();
    if (fault === "error") return void response.writeHead(500).end();
    if (fault === "throttle") return void response.writeHead(429, { "retry-after": "1" }).end();
    const file = files.get(request.url ?? "");
    const isKnown = token === slack.token || slack.otherTokens.has(token);
    if (fault === "html" || !file || !isKnown || lackedFor(slack.scopes, "files", "")) {
      return void response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end("<html>Sign in</html>");
    }
    // In chunks, without a length, as a cache between may send it.
    response.writeHead(200, { "content-type": file.type });
    response.end(file.content);
  };

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.url?.startsWith("/files-pri/")) {
      answerFile(request, response);
      return;
    }
    if (request.url?.startsWith("/upload/")) {
      slack.calls.push("files.upload");
      await slack.before?.("files.upload", "");
      const fault = slack.fault?.("files.upload", "", "");
      if (request.headers.authorization !== undefined) slack.leaked.push(request.headers.authorization);
      if (fault === "drop") return void request.socket.destroy();
      if (fault === "redirect") return void response.writeHead(302, { location: `${slack.url}/elsewhere` }).end();
      if (fault === "error") return void response.writeHead(500).end();
      const isTaken = slack.media.take(request.url, await buffer(request)) && fault !== "refuse";
      return void response.writeHead(isTaken ? 200 : 400).end(isTaken ? "OK" : "failed");
    }
    const form = new URLSearchParams(await text(request));
    const [, caller = "", method = ""] = /^(?:\/caller-(\w+))?\/api\/([\w.]+)$/.exec(request.url ?? "") ?? [];
    if (slack.dead.has(caller)) return void request.socket.destroy();
    if (method === "") {
      slack.leaked.push(request.headers.authorization ?? form.get("token") ?? "");
      return void response.writeHead(404).end();
    }
    slack.calls.push(method);
    await slack.before?.(method, caller);
    if (slack.dead.has(caller)) return void request.socket.destroy();
    const channel = form.get("channel") ?? form.get("channel_id") ?? "";
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1] ?? form.get("token") ?? "";
    const fault = slack.fault?.(method, channel, token);
    if (fault === "hang") return;
    if (fault === "drop") return void request.socket.destroy();
    if (fault === "html")
      return void response.writeHead(200, { "content-type": "text/html" }).end("<html>login</html>");
    if (fault === "redirect") return void response.writeHead(302, { location: `${slack.url}/elsewhere` }).end();
    if (fault === "error") return void response.writeHead(500).end("{}");
    if (fault === "throttle") return void response.writeHead(429, { "retry-after": "1" }).end();
    if (fault === "refuse" || fault === "revoked") {
      json(response, { ok: false, error: fault === "refuse" ? "restricted_action" : "token_revoked" });
      return;
    }
    if (token !== slack.token && !slack.otherTokens.has(token)) {
      json(response, { ok: false, error: "invalid_auth" });
      return;
    }
    if (method === "chat.postMessage" || method === "files.completeUploadExternal") {
      const now = performance.now();
      if (now - (lastPost.get(channel) ?? -Infinity) < 1_000) {
        return void response.writeHead(429, { "retry-after": "1" }).end();
      }
      lastPost.set(channel, now);
    }
    const waitSeconds = slack.tiers.call(method);
    if (waitSeconds !== undefined) {
      return void response.writeHead(429, { "retry-after": String(waitSeconds) }).end();
    }
    const answered = resolve(method, form);
    await slack.after?.(method, caller);
    if (fault === "lose") return void request.socket.destroy();
    response.setHeader("x-oauth-scopes", [...slack.scopes].join());
    json(response, answered);
  };

  const resolve = (method: string, form: URLSearchParams): object => {
    try {
      const call = methods[method];
      if (!call) throw new Refused("unknown_method");
      const channel = form.get("channel") ?? form.get("channel_id") ?? "";
      const needed = lackedFor(slack.scopes, method, channel);
      if (needed) throw new Refused("missing_scope", { needed: needed.join(), provided: [...slack.scopes].join() });
      return { ok: true, ...call(form) };
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      if (!expected.has(error.message)) slack.refused.push(`${method}: ${error.message}`);
      return { ok: false, error: error.message, ...error.more };
    }
  };

  const methods: Record<string, (form: URLSearchParams) => object> = {
    "usergroups.users.list": (form) => {
      const users = slack.groups.get(form.get("usergroup") ?? "");
      if (!users) throw new Refused("no_such_subteam");
      return { users };
    },
    "auth.test": () => ({ team_id: slack.team.id, team: slack.team.name, user_id: slack.botUser, bot_id: "B1" }),
    "users.info": (form) => ({
      user: {
        id: form.get("user"),
        team_id: slack.otherTeams.get(form.get("user") ?? "") ?? slack.team.id,
        profile: { display_name: `Name of ${form.get("user") ?? ""}` },
      },
    }),
    "views.publish": (form) => {
      const answered = slack.homes.publish(form);
      if (typeof answered === "string") throw new Refused(answered);
      return answered;
    },
    "conversations.info": (form) => ({
      channel: { id: form.get("channel"), name: "ops", purpose: { value: "Keep it up" } },
    }),
    "chat.getPermalink": (form) => {
      const [place, ts] = [form.get("channel") ?? "", form.get("message_ts") ?? ""];
      if (!slack.messages.some((one) => one.channel === place && one.ts === ts)) throw new Refused("message_not_found");
      return { permalink: `https://acme.slack.com/archives/${place}/p${ts.replace(".", "")}` };
    },
    "conversations.replies": (form) => replies(form),
    "files.getUploadURLExternal": (form) => orRefuse(slack.media.open(form, slack.url)),
    "files.completeUploadExternal": (form) => {
      const shared = orRefuse(slack.media.complete(form));
      const { channel, thread_ts, comment } = shared;
      if (!slack.messages.some((one) => one.channel === channel && one.ts === thread_ts))
        throw new Refused("message_not_found");
      slack.messages.push({ channel, thread_ts, ts: nextTime(), bot_id: "B1", subtype: "file_share", text: comment });
      return { files: shared.files.map(({ id }) => ({ id })) };
    },
    "chat.postMessage": (form) => {
      const message: SlackMessage = {
        channel: form.get("channel") ?? "",
        ts: nextTime(),
        bot_id: "B1",
        text: form.get("text") ?? "",
        blocks: blocksOf(form),
        ...(form.has("thread_ts") && { thread_ts: form.get("thread_ts")! }),
        ...(form.has("metadata") && { metadata: JSON.parse(form.get("metadata")!) as never }),
      };
      slack.messages.push(message);
      return { ts: message.ts, channel: message.channel };
    },
    "chat.update": (form) => {
      const found = slack.messages.find(({ ts, channel }) => ts === form.get("ts") && channel === form.get("channel"));
      if (!found) throw new Refused("message_not_found");
      slack.changes.push({ ts: found.ts, text: form.get("text") ?? "" });
      Object.assign(found, { text: form.get("text") ?? "", blocks: blocksOf(form) });
      return { ts: found.ts };
    },
    "reactions.add": (form) => {
      const reaction = reactionOf(form);
      if (slack.reactions.has(reaction)) throw new Refused("already_reacted");
      slack.reactions.add(reaction);
      return {};
    },
    "reactions.remove": (form) => {
      if (!slack.reactions.delete(reactionOf(form))) throw new Refused("no_reaction");
      return {};
    },
    "chat.postEphemeral": (form) => {
      const [channel = "", user = "", said = ""] = ["channel", "user", "text"].map((name) => form.get(name) ?? "");
      slack.ephemeral.push({ channel, user, text: said });
      return { message_ts: nextTime() };
    },
  };

  const orRefuse = <T extends object>(answered: T | string): T => {
    if (typeof answered === "string") throw new Refused(answered);
    return answered;
  };

  const reactionOf = (form: URLSearchParams): string => {
    const [channel, ts, name] = ["channel", "timestamp", "name"].map((key) => form.get(key));
    if (!slack.messages.some((one) => one.channel === channel && one.ts === ts)) throw new Refused("message_not_found");
    return `${ts ?? ""} ${name ?? ""}`;
  };

  const replies = (form: URLSearchParams): object => {
    const [channel = "", ts = "", cursor = "0"] = ["channel", "ts", "cursor"].map(
      (name) => form.get(name) ?? undefined,
    );
    const { oldest, latest, limit } = Object.fromEntries(form) as Record<string, string | undefined>;
    const all = slack.thread(channel, ts);
    if (all.length === 0) throw new Refused("thread_not_found");
    const wanted = all.filter(
      (one) =>
        one.ts === ts || ((!oldest || Number(one.ts) > Number(oldest)) && (!latest || Number(one.ts) < Number(latest))),
    );
    const from = Number(cursor);
    const to = from + Number(limit ?? 1_000);
    const shown = wanted.slice(from, to).map(({ metadata, ...rest }) => ({
      ...rest,
      ...(form.get("include_all_metadata") === "true" && { metadata }),
    }));
    return { messages: shown, response_metadata: { next_cursor: to < wanted.length ? String(to) : "" } };
  };

  const slack: SlackServer = {
    url: `http://${address}:${port}`,
    team: { id: "T0ACME", name: "Acme" },
    botUser: "U0BOT",
    token: "xoxb-planted-token",
    otherTokens: new Set(),
    messages: [],
    changes: [],
    reactions: new Set(),
    ephemeral: [],
    calls: [],
    refused: [],
    fault: undefined,
    before: undefined,
    after: undefined,
    dead: new Set(),
    scopes: new Set(slackApp.oauth_config.scopes.bot),
    groups: new Map(),
    homes: slackHomes(),
    tiers: new SlackTiers(),
    media: slackMedia(),
    otherTeams: new Map(),
    leaked: [],
    upload(content, said = {}) {
      const id = `F${files.size + 1}`;
      const name = `picture-${files.size + 1}.png`;
      const path = `/files-pri/${slack.team.id}-${id}/${name}`;
      const url = `${slack.url}${path}`;
      const listed = { id, name, mimetype: "image/png", size: content.length, url_private: url, ...said };
      files.set(path, { content, type: listed.mimetype });
      return { url_private_download: url, ...listed };
    },
    say(message) {
      const ts = message.ts ?? nextTime();
      slack.messages.push({ ...message, ts });
      return ts;
    },
    thread: (channel, root) =>
      slack.messages.filter((one) => one.channel === channel && (one.ts === root || one.thread_ts === root)),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  return slack;
}

/** Slack's limits: 50 blocks, 3,000 characters a section, 12,000 in all. */
function blocksOf(form: URLSearchParams): KnownBlock[] {
  const blocks = JSON.parse(form.get("blocks") ?? "[]") as KnownBlock[];
  if (blocks.length > 50) throw new Refused("invalid_blocks");
  const texts = blocks.map((block) => (block.type === "section" ? (block.text?.text ?? "") : ""));
  if (texts.some((one) => Array.from(one).length > 3_000)) throw new Refused("invalid_blocks");
  if (blocks.some((block, index) => block.type === "section" && texts[index] === ""))
    throw new Refused("invalid_blocks");
  if (Array.from(texts.join("")).length > 12_000) throw new Refused("msg_too_long");
  for (const block of blocks) if (block.type === "actions") checkActions(block);
  return blocks;
}

function checkActions({ elements, block_id: id = "" }: Extract<KnownBlock, { type: "actions" }>): void {
  const ids = elements.map((element) => element.action_id);
  if (elements.length > 25 || new Set(ids).size !== ids.length || id.length > 255) throw new Refused("invalid_blocks");
  for (const element of elements) {
    if (element.type === "button" && element.text.text.length > 75) throw new Refused("invalid_blocks");
    if (element.type !== "static_select") continue;
    const groups = element.option_groups ?? [];
    const isRight = groups.length > 0 && groups.length <= 100 && groups.every(({ options }) => options.length <= 100);
    const options = groups.flatMap((group) => group.options);
    if (
      !isRight ||
      options.some(({ text: { text: shown }, value }) => shown.length > 75 || (value ?? "").length > 150)
    ) {
      throw new Refused("invalid_blocks");
    }
  }
}

function json(response: ServerResponse, body: object): void {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
}
