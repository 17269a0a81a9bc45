import { randomUUID } from "node:crypto";

import {
  Automation,
  Conversation,
  type Integration,
  type IntegrationEvent,
  Prompt,
  type Run,
  Session,
  type SlackTrigger,
} from "../../../src/api/v1alpha1/index.ts";
import { makeFirstPrompt, makeSession } from "../../../src/controllers/run/resources.ts";
import { keyOf } from "../../../src/lib/resource.ts";
import { until } from "../../support/kube.ts";
import { runsOf } from "./automation-world.ts";
import { ann, handled } from "./slack-world.ts";
import type { World } from "./world.ts";

let places = 0;

/** A channel of its own, since Slack takes one message a second in each. */
export function nextChannel(): string {
  places += 1;
  return `C0M${places}`;
}

/** An Automation for the messages of a channel, once the ingress knows it. */
export async function makeChannelAutomation(
  world: World,
  integration: Integration,
  { spec, ...slack }: Partial<SlackTrigger> & { channels: string[]; spec?: object },
): Promise<Automation> {
  const made = await world.client.create(Automation, {
    metadata: { name: `ops-${randomUUID().slice(0, 8)}`, namespace: world.namespace },
    spec: {
      instructions: "Look into it.",
      serviceAccountName: "runner",
      trigger: { type: "Slack", slack: { integrationRef: { name: integration.metadata.name ?? "" }, ...slack } },
      ...spec,
    },
  } as unknown as Automation);
  await until("the ingress knows the automation", () => {
    const known = world.wantedChannels(integration);
    return slack.channels.every((one) => known.has(one));
  });
  return made;
}

export interface Said {
  event: Record<string, unknown>;
  ts: string;
  root: string;
}

/** What a person says in a channel, as Slack sends it. */
export function said(
  world: World,
  channel: string,
  text: string,
  rest: { root?: string; user?: string; extra?: object } = {},
): Said {
  const { root, user = ann, extra = {} } = rest;
  const message = { channel, user, text, ...(root !== undefined && { thread_ts: root }) };
  const ts = world.slack.say(message);
  const team = world.slack.team.id;
  return { event: { type: "message", channel_type: "channel", ...message, ts, team, ...extra }, ts, root: root ?? ts };
}

/** Says something in a channel and waits until it was held against the Automations. */
export async function say(
  world: World,
  integration: Integration,
  ...message: Parameters<typeof said> extends [World, ...infer Rest] ? Rest : never
): Promise<{ event: IntegrationEvent; root: string }> {
  const { event, root } = said(world, ...message);
  return { event: await handled(world, integration, event), root };
}

/** The one Run of an Automation. */
export async function onlyRun(world: World, automation: Automation): Promise<Run> {
  const [run, ...others] = await runsOf(world, automation);
  if (!run || others.length > 0) throw new Error(`the automation has ${others.length + (run ? 1 : 0)} Runs`);
  return run;
}

/** Does what the controller does when it starts a Run. */
export async function begin(
  { client }: World,
  run: Run,
  automation: Automation,
): Promise<{ session: Session; prompt: Prompt }> {
  const session = await client.create(Session, makeSession(run, automation, 0));
  const prompt = await client.create(Prompt, makeFirstPrompt(run, automation, session));
  return { session, prompt };
}

/** The thread of an Automation, as the connector has noted it. */
export function threadOf(world: World, automation: Automation, channel: string, root: string) {
  return world.conversation(`automation/${automation.metadata.uid ?? ""}/thread/${channel}/${root}`);
}

/** Moves the thread's window as if its first message had been so many milliseconds earlier. */
export async function age(world: World, conversation: Conversation, byMs: number): Promise<void> {
  const live = await world.client.get<Conversation>(Conversation, keyOf(conversation));
  const expireTime = new Date(Date.parse(live.status?.expireTime ?? "") - byMs).toISOString();
  await world.client.patchStatus(Conversation, live, { ...live.status, expireTime });
}
