import { type Automation, type Integration, type SlackEvent, SlackTrigger } from "../../../api/v1alpha1/index.ts";
import { pausedBecause } from "../../../domain/deliveries/not-started.ts";
import { messageMismatch } from "../../../domain/integrations/slack-wanted.ts";
import { judgeAccess } from "../access.ts";

/** What a message is to one Automation: why it does nothing, in a sentence, or what it may do. */
export type Judgement =
  | { problem: string }
  | {
      problem?: undefined;
      maxUnfinishedRuns: number;
      /** Whether Slack has to say that the person is in a user group. */
      needsMembership: boolean;
    };

/** Holds a message against an Automation; conditions count for messages that would start a Run, not for replies to one. */
export function judgeMessage(
  event: SlackEvent,
  { automation, integration }: { automation: Automation; integration: Pick<Integration["spec"], "access" | "slack"> },
  isReplyToRun: boolean,
): Judgement {
  const { data: trigger } = SlackTrigger.safeParse(automation.spec.trigger.slack);
  // Of a later version, or stored before a rule.
  if (!trigger) return { problem: "its stored trigger cannot be read" };
  const access = accessOf(event, trigger, integration);
  const problem =
    pausedBecause(automation) ??
    (isReplyToRun ? undefined : messageMismatch(event, trigger)) ??
    (access === "none" ? deniedTo(event) : undefined);
  if (problem !== undefined) return { problem };
  return { maxUnfinishedRuns: trigger.maxUnfinishedRuns, needsMembership: access === "members" };
}

/** Why a person's messages do nothing. */
export function deniedTo({ actor }: Pick<SlackEvent, "actor">): string {
  return `${actor?.id ?? "the sender"} is on none of the Integration's access lists, which trigger.slack.from asks for`;
}

/** Members of other workspaces, who are in shared channels, never start anything. */
function accessOf(
  event: SlackEvent,
  { from }: Pick<SlackTrigger, "from">,
  integration: Pick<Integration["spec"], "access" | "slack">,
): "all" | "members" | "none" {
  if (from === "Listed") return judgeAccess(integration, event);
  const { teamID } = event.actor ?? {};
  return teamID === undefined || teamID === integration.slack?.teamID ? "all" : "none";
}
