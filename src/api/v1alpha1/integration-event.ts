import { z } from "zod";
import { observed } from "./conditions.ts";
import { GitHubEvent } from "./integration-event-github.ts";
import { SlackEvent } from "./integration-event-slack.ts";
import { ageColumn, column, conditionColumn, defineKind, type ObjectOf } from "./kind.ts";
import { settledStays } from "./run.ts";
import { integer, LabelName, longestEventText, text, Time, Uid, withRule, withTransitionRule } from "./schema.ts";

/** Names the Integration that an object belongs to. */
export const IntegrationReference = z
  .object({
    name: LabelName.describe("name is which Integration of the namespace it came through, at most 63 characters."),
    uid: Uid.describe("uid tells the Integration from a later one of the same name."),
  })
  .describe("IntegrationReference names an Integration in the same namespace.");

const LinearActor = z
  .object({
    id: text(64).describe("id is the user's id in Linear."),
    name: text(200).optional().describe("name is the user's name, at most 200 characters."),
    email: text(320).optional().describe("email is the user's e-mail address."),
  })
  .describe("LinearActor is who asked.");

/** What is kept of an AgentSessionEvent. */
export const LinearEvent = z
  .object({
    action: z
      .enum(["Created", "Prompted", "Stopped", "Test"])
      .describe(
        "action is what happened: an agent session was Created or Prompted, or is to be Stopped; Test is a sample of kubectl runwright integration test.",
      ),
    agentSessionID: text(64).describe("agentSessionID is the id of the agent session, at which answers are shown."),
    issueID: text(64).optional().describe("issueID is the issue's id, where the agent session has an issue."),
    issueIdentifier: text(64).optional().describe("issueIdentifier is what people call the issue, such as ENG-12."),
    teamKey: text(64).optional().describe("teamKey is the key of the issue's team, such as ENG."),
    actor: LinearActor.optional().describe("actor is who asked; left out where an automation of Linear's did."),
    text: text(longestEventText).optional().describe("text is what the person wrote, at most 64,000 characters."),
  })
  .describe("LinearEvent is what is kept of an event of Linear's.");
export type LinearEvent = z.infer<typeof LinearEvent>;

const EventFields = withRule(
  z
    .object({
      integrationRef: IntegrationReference.describe("integrationRef names the Integration that the event came to."),
      deliveryID: text(200).describe(
        "deliveryID is the provider's id of the delivery, at most 200 characters; of HomeOpened the person and the view, as home/USER/HASH.",
      ),
      receivedTime: Time.describe("receivedTime is when the ingress received it."),
      github: GitHubEvent.optional().describe("github is the event, where it is one of GitHub's."),
      linear: LinearEvent.optional().describe("linear is the event, where it is one of Linear's."),
      slack: SlackEvent.optional().describe("slack is the event, where it is one of Slack's."),
    })
    .describe("IntegrationEventSpec is one event of a provider."),
  {
    message: "exactly one of github, linear and slack must be set",
    cel: "[has(self.github), has(self.linear), has(self.slack)].filter(isSet, isSet).size() == 1",
    check: ({ github, linear, slack }) => [github, linear, slack].filter((one) => one !== undefined).length === 1,
  },
);

export const IntegrationEventSpec = withTransitionRule(EventFields, {
  message: "an event cannot change",
  cel: "self == oldSelf",
});
export type IntegrationEventSpec = z.infer<typeof IntegrationEventSpec>;

const count = (name: string, of: string) => integer(0, 1_000).optional().describe(`${name} is the number of ${of}.`);

export const IntegrationEventStatus = withTransitionRule(
  z
    .object({
      ...observed,
      triggered: count("triggered", "sessions that the event started"),
      steered: count("steered", "sessions at which it became a follow-up prompt, or which it stopped"),
      skipped: count("skipped", "requests in it that were refused"),
      sessionName: text(63).optional().describe("sessionName is the Session that it led to."),
      promptName: text(63).optional().describe("promptName is the Prompt that it led to."),
      settledTime: Time.optional().describe("settledTime is when the connector had handled it."),
    })
    .describe("IntegrationEventStatus is what became of the event."),
  settledStays,
);
export type IntegrationEventStatus = z.infer<typeof IntegrationEventStatus>;

export const IntegrationEvent = defineKind({
  kind: "IntegrationEvent",
  plural: "integrationevents",
  shortNames: ["rwievent"],
  namespaced: true,
  isRecord: true,
  description:
    "IntegrationEvent is one event that a provider sent to an Integration. The ingress writes it, the connector handles it and deletes it after 7 days.",
  spec: IntegrationEventSpec,
  status: IntegrationEventStatus,
  columns: [
    column("Integration", ".spec.integrationRef.name", "The Integration that the event came to."),
    column("Action", ".spec['github','linear','slack'].action", "What happened."),
    column("Issue", ".spec.linear.issueIdentifier", "The issue that it is about."),
    conditionColumn("Succeeded", "Succeeded", "status"),
    conditionColumn("Reason", "Succeeded", "reason"),
    column("Session", ".status.sessionName", "The Session that it led to."),
    ageColumn,
    conditionColumn("Message", "Succeeded", "message"),
  ],
});
export type IntegrationEvent = ObjectOf<typeof IntegrationEventSpec, typeof IntegrationEventStatus>;
