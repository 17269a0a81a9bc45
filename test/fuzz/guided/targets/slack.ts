import { longestChannelMessage, RunSpec, type SlackEvent } from "../../../../src/api/v1alpha1/index.ts";
import { detailsOf, type ThreadEntry } from "../../../../src/connector/slack/channels/details.ts";
import { messageKey } from "../../../../src/domain/integrations/slack-wanted.ts";
import { countCharacters } from "../../../../src/lib/characters.ts";
import { must, type Target } from "../target.ts";
import { readSlack, receivedAt, slackEnvelope } from "./slack-bodies.ts";
import { slackFileTargets } from "./slack-files.ts";
import { slackTexts } from "./slack-texts.ts";

const said = (rest: string): string =>
  slackEnvelope(`{"type":"message","channel":"C0OPS","user":"U1","team":"T1","ts":"1767225600.000100",${rest}}`);

const channelMessage: Target = {
  name: "slack-channel-message",
  seeds: [
    said('"channel_type":"channel","text":"a &lt;b&gt; &amp;amp; c"'),
    said(
      '"channel_type":"group","subtype":"file_share","text":" <@U3|ann> <!here> x","thread_ts":"1.1","user_team":"T2"',
    ),
    said('"channel_type":"channel","text":"<@U2> fix it"'),
    said('"channel_type":"channel","bot_id":"B1","text":"x"'),
    said('"channel_type":"channel","subtype":"message_changed","edited":{},"text":"x"'),
    said('"channel_type":"im","text":"\\u0001\\ud800"'),
  ],
  take(input) {
    const event = readSlack(input);
    if (event?.action !== "Said") return;
    const { text = "" } = event;
    must(text !== "" && text.trim() === text, "a message that counts has a text, without white space around it");
    must(countCharacters(text) <= longestChannelMessage, "and a bounded one");
    mustMentionNobodyOf(input);
    mustStartRun(event);
  },
};

/** The bot that the event is for, by its id in the body as it came. */
function mustMentionNobodyOf(input: Buffer): void {
  const { authorizations, event } = JSON.parse(input.toString("utf8").replace(/^\ufeff/, "")) as {
    authorizations: { user_id?: string; is_bot?: boolean }[];
    event: { text: string };
  };
  const bots = authorizations.flatMap(({ user_id: id = "", is_bot: isBot }) => (isBot === true && id ? [id] : []));
  const isMentioned = bots.filter((id) => /^[A-Z0-9]+$/.test(id)).some((id) => event.text.includes(`<@${id}>`));
  must(bots.length > 0 && !isMentioned, "what mentions the app comes as a mention, too");
}

/** However long the thread before it is, and whatever was written there. */
function mustStartRun(event: SlackEvent): void {
  const entry = (at: number): ThreadEntry => {
    return { ts: `${at}.1`, speaker: "user", name: event.actor?.id ?? "", text: event.text ?? "" };
  };
  const thread = Array.from({ length: 25 }, (_, at) => entry(at));
  for (const surroundings of [{ thread: [] }, { thread, channelName: event.text, link: "https://a" }]) {
    const payload = detailsOf(event, surroundings);
    const trigger = {
      type: "Slack",
      time: receivedAt.toISOString(),
      deliveryID: "d",
      idempotencyKey: messageKey(event),
    };
    const { error } = RunSpec.safeParse({ automationRef: { name: "a" }, trigger: { ...trigger, payload } });
    must(error === undefined, `a Run takes what was read: ${error?.message}`);
    must((JSON.parse(payload) as { text: string }).text === event.text, "and has the whole message");
  }
}

/** What people write in Slack, and what hangs on it. */
export const slackTargets: readonly Target[] = [channelMessage, slackTexts, ...slackFileTargets];
