import type { IntegrationEvent, SlackEvent, Target } from "../../api/v1alpha1/index.ts";
import type { Ask, ProviderRules } from "../conversations/provider-rules.ts";
import { accessDenied, judgeAccess } from "./access.ts";

/** What is kept of an event of Slack's. */
export function slackOf({ spec }: IntegrationEvent): SlackEvent {
  if (!spec.slack) throw new Error("the event is none of Slack's");
  return spec.slack;
}

/** Whether an event is a message in a channel, which is for Automations alone, and so of no Conversation of people. */
export function isSaid({ spec }: Pick<IntegrationEvent, "spec">): boolean {
  return spec.slack?.action === "Said";
}

/** Whether an event says that a person opened the Home tab of the app, which is of no Conversation. */
export function isHomeOpened({ spec }: Pick<IntegrationEvent, "spec">): boolean {
  return spec.slack?.action === "HomeOpened";
}

/** Whether an event says that a person pressed the button of an answer, which asks for no session. */
export function isPullRequestAsked({ spec }: Pick<IntegrationEvent, "spec">): boolean {
  return spec.slack?.action === "PullRequestAsked";
}

const help = "Write what you want done after the mention, such as: fix the login. Answers come into this thread.";

/** What is of no Conversation of people. */
const others = ["Said", "HomeOpened", "PullRequestAsked"] as const;

const asks = {
  Asked: "Prompted",
  Chosen: "Chosen",
  // A token that was revoked shows by the next call.
  Revoked: "Test",
  Test: "Test",
} as const satisfies Record<Exclude<SlackEvent["action"], (typeof others)[number]>, Ask>;

function isOther(action: SlackEvent["action"]): action is (typeof others)[number] {
  return others.some((other) => other === action);
}

export const slackRules: ProviderRules = {
  /** Its thread; an event of none is about the workspace. */
  subjectOf(event) {
    const { channelID, threadTS } = slackOf(event);
    return threadTS === undefined ? "workspace" : `thread/${channelID}/${threadTS}`;
  },
  askOf(event) {
    const { action } = slackOf(event);
    if (isOther(action)) throw new Error(`an event ${action} asks for nothing`);
    return asks[action];
  },
  mayAsk: (spec, event) => judgeAccess(spec, slackOf(event)) !== "none",
  accessDenied,
  helpFor(event) {
    const { text, forwarded, files } = slackOf(event);
    return text === undefined && forwarded === undefined && files === undefined ? help : undefined;
  },
  /** `slack:<workspace>:<user>` */
  requesterOf({ spec }, event) {
    return `slack:${spec.slack?.teamID ?? ""}:${slackOf(event).actor?.id ?? ""}`;
  },
  slides: true,
  showsProgress: true,
  placeOf(event) {
    const { channelID, threadTS = "", actor } = slackOf(event);
    return { slack: { channelID, threadTS, ...(actor && { userID: actor.id }) } };
  },
  startPosts: (_event, sessionName, target) => [
    { kind: "Started", progress: "Pending", sessionName, text: `Working on ${nameOf(target)}.` },
  ],
  timeOf: (event) => slackOf(event).ts,
};

function nameOf({ repositoryRef, environmentRef }: Target): string {
  return repositoryRef ? `repository ${repositoryRef.name}` : `environment ${environmentRef?.name ?? ""}`;
}
