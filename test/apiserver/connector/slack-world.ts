import { randomUUID } from "node:crypto";

import type { Integration, IntegrationEvent } from "../../../src/api/v1alpha1/index.ts";
import { slackEnvelope, slackSignature } from "../../support/slack-events.ts";
import type { SlackMessage } from "../../support/slack-server.ts";
import { type Connector, signingSecret, type World } from "./world.ts";

export const ann = "U0ANN";
export const channel = "C0OPS";

/** Header values in place of the right ones; undefined leaves a header out. */
export interface SlackSending {
  secret?: string;
  atSeconds?: number;
  /** Of a replica of the ingress. */
  url?: string;
  headers?: Record<string, string | undefined>;
}

/** An Integration with Slack, whose one target is the Repository `api` unless `slack` says more. */
export function makeSlackIntegration(world: World, slack: object = {}, spec: object = {}): Promise<Integration> {
  return world.makeIntegration({
    type: "Slack",
    linear: undefined,
    access: { users: [ann] },
    slack: { teamID: world.slack.team.id, repositories: [{ name: "api" }], ...slack },
    ...spec,
  });
}

/** Sends what Slack sends: JSON, or the form of an interaction. */
export async function sendSlack(
  world: World,
  integration: Integration,
  body: object | string | Buffer,
  {
    secret = signingSecret,
    atSeconds = Math.floor(Date.now() / 1_000),
    url = world.url,
    headers = {},
  }: SlackSending = {},
): Promise<{ status: number; body: Record<string, unknown> }> {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
  const sent: Record<string, string | undefined> = {
    "content-type": "application/json",
    ...slackSignature(bytes, secret, atSeconds),
    ...headers,
  };
  const path = `/integrations/${world.namespace}.${integration.metadata.name ?? ""}/slack`;
  const known = Object.entries(sent).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const answer = await fetch(`${url}${path}`, { method: "POST", headers: known, body: new Uint8Array(bytes) });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

/** An `event_callback` of the world's workspace. */
export function envelope(world: World, event: object, eventId?: string): object {
  return slackEnvelope(world.slack, event, eventId);
}

/** A person's message, as a mention; it is in Slack, too, so that threads can be read. */
export function mention(
  world: World,
  text: string,
  rest: { root?: string | undefined; user?: string; channel?: string; extra?: object } = {},
): { event: Record<string, unknown>; ts: string; root: string } {
  const { root, user = ann, channel: place = channel, extra = {} } = rest;
  const said = `<@${world.slack.botUser}> ${text}`;
  const message = { channel: place, user, text: said, ...(root !== undefined && { thread_ts: root }) };
  const ts = world.slack.say(message);
  const event = { type: "app_mention", ...message, ts, team: world.slack.team.id, ...extra };
  return { event, ts, root: root ?? ts };
}

export function subjectOf(root: string, place = channel): string {
  return `thread/${place}/${root}`;
}

/** The id of the event that a person's message becomes. */
export function messageId({ channel: place, ts }: { channel?: unknown; ts?: unknown }): string {
  return `message/${String(place)}/${String(ts)}`;
}

/** Sends an event and waits until it was handled. */
export async function handled(
  world: World,
  integration: Integration,
  event: Record<string, unknown>,
): Promise<IntegrationEvent> {
  const eventId = `Ev${randomUUID()}`;
  const answer = await sendSlack(world, integration, envelope(world, event, eventId));
  if (answer.status !== 200) throw new Error(`the ingress answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  const isRequest = event.type === "app_mention" || event.channel_type === "im";
  return world.settledEvent(integration, isRequest ? messageId(event) : eventId);
}

/** What the bot has said in a thread. */
export function saidIn(world: World, root: string, place = channel): SlackMessage[] {
  return world.slack.thread(place, root).filter(({ bot_id: bot }) => bot === "B1");
}

/** A click on an entry of a list in a thread; gives the form that Slack sends. */
export function click(
  world: World,
  question: SlackMessage,
  value: string,
  { user = ann, trigger = randomUUID() }: { user?: string; trigger?: string } = {},
): string {
  const actions = question.blocks?.find((block) => block.type === "actions");
  const payload = {
    type: "block_actions",
    team: { id: world.slack.team.id, domain: "acme" },
    user: { id: user, team_id: world.slack.team.id },
    trigger_id: trigger,
    container: {
      type: "message",
      message_ts: question.ts,
      channel_id: question.channel,
      thread_ts: question.thread_ts,
    },
    actions: [{ type: "static_select", action_id: "choose", block_id: actions?.block_id, selected_option: { value } }],
  };
  return new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
}

/** Clicks and waits until that was handled. */
export async function chosen(
  world: World,
  integration: Integration,
  question: SlackMessage,
  value: string,
  { user = ann }: { user?: string } = {},
): Promise<IntegrationEvent> {
  const trigger = randomUUID();
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  await sendSlack(world, integration, click(world, question, value, { user, trigger }), { headers });
  return world.settledEvent(integration, trigger);
}

/** A press of the button under an answer, as Slack sends it; `block` and `value` in place of the button's own. */
export function press(
  world: World,
  answer: SlackMessage,
  { user = ann, trigger = randomUUID(), block, value }: Press = {},
): string {
  const actions = answer.blocks?.find((one) => one.type === "actions");
  const button = actions?.elements.find((one) => one.type === "button");
  const payload = {
    type: "block_actions",
    team: { id: world.slack.team.id, domain: "acme" },
    user: { id: user, team_id: world.slack.team.id },
    trigger_id: trigger,
    container: { type: "message", message_ts: answer.ts, channel_id: answer.channel, thread_ts: answer.thread_ts },
    actions: [
      {
        type: "button",
        action_id: button?.action_id ?? "pull-request",
        block_id: block ?? actions?.block_id ?? "",
        value: value ?? button?.value ?? "",
      },
    ],
  };
  return new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
}

interface Press {
  user?: string;
  trigger?: string;
  block?: string;
  value?: string;
}

/** Presses the button and waits until that was handled. */
export async function pressed(
  world: World,
  integration: Integration,
  answer: SlackMessage,
  rest: Omit<Press, "trigger"> = {},
): Promise<IntegrationEvent> {
  const trigger = randomUUID();
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  await sendSlack(world, integration, press(world, answer, { ...rest, trigger }), { headers });
  return world.settledEvent(integration, trigger);
}

/**
 * Has `onStep` called after each step of the connector's: a write that the API server has carried out, or a call that Slack has
 * carried out, of which the connector does not know yet.
 */
export function watchSteps(world: World, connector: Connector, onStep: () => void): void {
  connector.proxy.decide(({ isWrite, path }) =>
    isWrite && !path.includes("/leases") ? { kind: "between", run: onStep } : undefined,
  );
  world.slack.after = (_method, caller) => {
    if (caller === connector.name) onStep();
  };
}
