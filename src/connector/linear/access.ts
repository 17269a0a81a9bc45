import type { Integration, LinearEvent } from "../../api/v1alpha1/index.ts";

/** Whether the person of an event may ask for work; an event of none may by its team alone. */
export function mayAsk(
  { access }: Pick<Integration["spec"], "access">,
  { actor, teamKey }: Pick<LinearEvent, "actor" | "teamKey">,
): boolean {
  const isOfTeam = access.teams.some((key) => key.toLowerCase() === teamKey?.toLowerCase());
  if (isOfTeam) return true;
  const users = new Set(access.users.map((user) => user.toLowerCase()));
  return actor !== undefined && [actor.id, actor.email].some((name) => name && users.has(name.toLowerCase()));
}

export const accessDenied =
  "You are not on the list of people who may ask this agent for work, or stop it. Ask the operator of Runwright to add you or your team.";
