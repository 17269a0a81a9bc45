import type { Integration, SlackEvent } from "../../api/v1alpha1/index.ts";

type Lists = Pick<Integration["spec"], "access" | "slack">;
type Asked = Pick<SlackEvent, "actor" | "channelID">;

/**
 * What the Integration says of whether a person may ask for work: one who is named may, and any member of the workspace in a
 * channel that is named. Members of other workspaces, who are in shared channels, may not. Of `members` of user groups Slack knows.
 */
export function judgeAccess({ access, slack }: Lists, { actor, channelID }: Asked): "all" | "members" | "none" {
  if (!actor || (actor.teamID !== undefined && actor.teamID !== slack?.teamID)) return "none";
  const isListed = access.channels.includes(channelID) || access.users.some((user) => user.toUpperCase() === actor.id);
  if (isListed) return "all";
  return access.userGroups.length > 0 ? "members" : "none";
}

/** What a person reads at the app's home who may ask nowhere. */
export const accessDeniedAtHome =
  "You are not on the list of people who may ask this agent for work. Ask the operator of Runwright to add you, or a channel that you are in.";

export const accessDenied =
  "You are not on the list of people who may ask this agent for work. Ask the operator of Runwright to add you or this channel.";
