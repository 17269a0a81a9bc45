import type { Integration } from "../../api/v1alpha1/index.ts";
import type { Clock } from "../../lib/clock.ts";
import type { SlackApi } from "./slack-api.ts";
import { unlessRefused } from "../unless-refused.ts";

export interface UserGroupsDeps {
  slack: Pick<SlackApi, "call">;
  clock: Pick<Clock, "monotonicMs">;
}

/** How long members are used before Slack is asked again, so that a person who was taken out stops within a minute. */
const recheckMs = 60_000;
/** Groups that are remembered; old ones make room. */
const mostRemembered = 1_000;

/** Members of Slack's user groups, which change without a word to the Integration. */
export class UserGroups {
  readonly #deps: UserGroupsDeps;
  readonly #members = new Map<string, { users: ReadonlySet<string>; readMs: number }>();

  constructor(deps: UserGroupsDeps) {
    this.#deps = deps;
  }

  /** Whether a person is in one of the groups; one that Slack does not give has no members. @throws ProviderError */
  async hasMember(integration: Integration, groups: readonly string[], userId: string): Promise<boolean> {
    for (const group of groups) if ((await this.#membersOf(integration, group)).has(userId)) return true;
    return false;
  }

  async #membersOf(integration: Integration, group: string): Promise<ReadonlySet<string>> {
    const { slack, clock } = this.#deps;
    const key = `${integration.metadata.uid ?? ""} ${group}`;
    const readMs = clock.monotonicMs();
    const known = this.#members.get(key);
    if (known && readMs - known.readMs < recheckMs) return known.users;
    const answer = await unlessRefused(
      slack.call(integration, "usergroups.users.list", (web) => web.usergroups.users.list({ usergroup: group })),
    );
    const users = new Set(answer?.users ?? []);
    this.#members.delete(key);
    this.#members.set(key, { users, readMs });
    const [oldest] = this.#members.keys();
    if (this.#members.size > mostRemembered && oldest !== undefined) this.#members.delete(oldest);
    return users;
  }
}
