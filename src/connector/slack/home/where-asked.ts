import type { Integration } from "../../../api/v1alpha1/index.ts";
import { unlessRefused } from "../../unless-refused.ts";
import { judgeAccess } from "../access.ts";
import type { SlackApi } from "../slack-api.ts";
import type { UserGroups } from "../user-groups.ts";

export interface WhereAskedDeps {
  slack: Pick<SlackApi, "call">;
  groups: Pick<UserGroups, "hasMember">;
}

/** Where a person may ask for work; no channels = nowhere. */
export type WhereAsked = "everywhere" | readonly string[];

/** Holds a person against the Integration's access lists, apart from any one channel. @throws ProviderError */
export async function whereAsked(deps: WhereAskedDeps, integration: Integration, user: string): Promise<WhereAsked> {
  const { access } = integration.spec;
  const judged = judgeAccess(integration.spec, { actor: { id: user }, channelID: "" });
  if (judged === "all") return "everywhere";
  if (judged === "members" && (await deps.groups.hasMember(integration, access.userGroups, user))) return "everywhere";
  if (access.channels.length === 0 || !(await isOfWorkspace(deps, integration, user))) return [];
  return access.channels;
}

/** An event of the app's home does not say whose workspace the person is of, and in a channel only its members may ask. */
async function isOfWorkspace({ slack }: WhereAskedDeps, integration: Integration, user: string): Promise<boolean> {
  const answer = await unlessRefused(slack.call(integration, "users.info", (web) => web.users.info({ user })));
  const { team_id: team, enterprise_user: enterprise } = answer?.user ?? {};
  return [team, ...(enterprise?.teams ?? [])].includes(integration.spec.slack?.teamID);
}
