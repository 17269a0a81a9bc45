import type { HomeView, KnownBlock } from "@slack/types";

import type { SlackSettings, Target } from "../../../api/v1alpha1/index.ts";
import { stages } from "../../conversations/progress.ts";
import { accessDeniedAtHome } from "../access.ts";
import { escaped } from "../answer-messages.ts";
import { noTargets, offeredTargets } from "../target.ts";
import type { LatestRequest } from "./latest-requests.ts";
import { listText } from "./list-text.ts";
import type { WhereAsked } from "./where-asked.ts";

export interface HomeFacts {
  where: WhereAsked;
  settings: SlackSettings;
  /** Whether what a setting names exists; one whose target does not is passed over. */
  exists: (target: Target) => boolean;
  requests: readonly LatestRequest[];
  /** Where people have the web page, such as `https://runwright.example.com`; undefined where there is none. */
  pageUrl: string | undefined;
}

/** What the Home tab of the app shows a person. */
export function homeView(facts: HomeFacts): HomeView {
  const { where } = facts;
  const may = where === "everywhere" || where.length > 0;
  const blocks = may ? [...howToAsk(where), ...whatToAskAbout(facts)] : section("How to ask", accessDeniedAtHome);
  return { type: "home", blocks: [...blocks, ...ownRequests(facts)] };
}

function section(title: string, ...paragraphs: readonly string[]): KnownBlock[] {
  const texts = paragraphs.filter((text) => text !== "");
  if (texts.length === 0) return [];
  return [
    { type: "header", text: { type: "plain_text", text: title } },
    ...texts.map((text): KnownBlock => ({ type: "section", text: { type: "mrkdwn", text, verbatim: true } })),
  ];
}

function howToAsk(where: WhereAsked): KnownBlock[] {
  const mention = "mention the app and write what you want done, such as: fix the login.";
  const answers = "Answers come into the thread. To go on there, mention the app again";
  if (where === "everywhere") {
    const place = `In a channel that the app is in, ${mention} In a direct message to the app, write it without a mention.`;
    return section("How to ask", place, `${answers}; in a direct message, reply in the thread.`);
  }
  const channels = listText(where.map(channelText), ", ");
  const place = `You may ask in these channels alone, and not in direct messages: ${channels}.`;
  return section("How to ask", place, `There, ${mention} ${answers}.`);
}

function whatToAskAbout({ where, settings, exists }: HomeFacts): KnownBlock[] {
  const title = "What you can ask about";
  const offered = offeredTargets(settings).filter(exists);
  const [only, ...others] = offered;
  if (!only) return section(title, noTargets);
  if (others.length === 0) return section(title, `All requests are about ${targetText(only)}.`);
  const rules = settings.rules.filter(({ target }) => exists(target));
  const channels = settings.channels.filter(({ id, target }) => exists(target) && isShown(where, id));
  return section(
    title,
    `${listText(offered.map(targetText), ", ")}.`,
    listed(
      "A request with one of these words is about:",
      rules.map(({ keyword, target }) => `“${escaped(keyword)}”: ${targetText(target)}`),
    ),
    listed(
      "Without such a word, a request in one of these channels is about:",
      channels.map(({ id, target }) => `${channelText(id)}: ${targetText(target)}`),
    ),
    "Where it is not clear what a request is about, the app asks you.",
  );
}

function isShown(where: WhereAsked, channel: string): boolean {
  return where === "everywhere" || where.includes(channel);
}

function listed(lead: string, entries: readonly string[]): string {
  return entries.length === 0
    ? ""
    : `${lead}\n${listText(
        entries.map((entry) => `• ${entry}`),
        "\n",
      )}`;
}

function ownRequests({ requests, pageUrl }: HomeFacts): KnownBlock[] {
  const texts = requests.map((request) => requestText(request, pageUrl));
  return section("Your latest requests", ...(texts.length === 0 ? ["You have asked for nothing lately."] : texts));
}

function requestText(
  { target, channelID, stage, session, lastPromptTime }: LatestRequest,
  pageUrl: string | undefined,
): string {
  const about = target ? targetText(target) : "no repository";
  const place = channelID.startsWith("D") ? "in a direct message" : `in ${channelText(channelID)}`;
  const time = lastPromptTime === undefined ? "" : `, ${timeText(lastPromptTime)}`;
  const link =
    session && pageUrl !== undefined
      ? ` <${pageUrl}/sessions/${session.namespace}.${session.name}|Open the session>`
      : "";
  return `${about}, ${place}${time}: ${stages[stage]}.${link}`;
}

/** Slack shows the channel's name to those who may know it. */
function channelText(id: string): string {
  return `<#${id}>`;
}

/** Slack shows a person's own time; the text after the bar is for programs that cannot. */
function timeText(time: string): string {
  const seconds = Math.floor(Date.parse(time) / 1_000);
  return `<!date^${seconds}^{date_short_pretty} {time}|${time}>`;
}

function targetText({ repositoryRef, environmentRef }: Target): string {
  return repositoryRef ? `repository \`${repositoryRef.name}\`` : `environment \`${environmentRef?.name ?? ""}\``;
}
