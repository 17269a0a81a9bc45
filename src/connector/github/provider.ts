import type { Automation, Integration } from "../../api/v1alpha1/index.ts";
import { missedSubscriptions } from "../../domain/integrations/github-subscriptions.ts";
import { keyOf, keyText } from "../../lib/resource.ts";
import { answerOf } from "../conversations/posts.ts";
import type { Provider } from "../conversations/provider.ts";
import { type ConnectorInformers, indexNames } from "../informers.ts";
import { ProviderError } from "../provider-error.ts";
import type { Installation } from "./calls.ts";
import type { GitHubApi } from "./github-api.ts";
import { type CommenterDeps, postComment, showReaction } from "./post-comment.ts";
import { readRequest, type RequestReaderDeps } from "./read-request.ts";
import type { Subscriptions } from "./subscriptions.ts";

export interface GitHubProviderDeps extends RequestReaderDeps, CommenterDeps {
  github: Pick<GitHubApi, "call">;
  informers: Pick<ConnectorInformers, "repositories" | "automations">;
  subscriptions: Pick<Subscriptions, "read">;
}

/** GitHub; it knows no repeated comment by itself. */
export function githubProvider(deps: GitHubProviderDeps): Provider {
  return {
    notesCalls: ({ kind }) => kind !== "Started",
    read: (facts) => readRequest(deps, facts),
    async post({ integration }, { post }, prompt) {
      const text = post.kind === "Answer" ? answerOf(prompt).text : (post.text ?? "");
      if (post.kind === "Started") await showReaction(deps, integration, post);
      else await postComment(deps, integration, post, text);
      return undefined;
    },
    async workspace(integration) {
      const installation = await deps.subscriptions.read(integration);
      const automations = deps.informers.automations.byIndex(indexNames.integration, keyText(keyOf(integration)));
      const problem = problemOf(installation, integration, automations);
      if (problem !== undefined) throw new ProviderError("credentials", problem);
      return { id: installation.app_slug, name: installation.account?.login ?? "" };
    },
  };
}

const neededPermissions = ["issues", "pull_requests"];
const neededEvents = ["issue_comment", "pull_request_review_comment"];
/** Beside those, where pull requests are opened. */
const eventsOfPullRequests = ["pull_request", "pull_request_review"];

/** What an installation lacks. */
function problemOf(
  { permissions, events, suspended_at: suspended }: Installation,
  { spec }: Integration,
  automations: readonly Automation[],
): string | undefined {
  if (suspended) return "The App's installation is suspended";
  const lacked = neededPermissions.filter((name) => permissions[name] !== "write");
  if (lacked.length > 0) return `The App's installation has no permission to write ${lacked.join(" and ")}`;
  const needed = [...neededEvents, ...(spec.github?.pullRequests === undefined ? [] : eventsOfPullRequests)];
  const missed = needed.filter((name) => !events.includes(name));
  if (missed.length > 0) return `The App is not subscribed to the events ${missed.join(" and ")}`;
  const unsent = automations.flatMap(({ metadata, spec: { trigger } }) => {
    const names = missedSubscriptions(trigger.github?.events ?? [], events);
    return names.length > 0 ? [`${names.join(" and ")}, which Automation ${metadata.name ?? ""} needs`] : [];
  });
  return unsent.length > 0 ? `The App is not subscribed to the events ${unsent.join("; ")}` : undefined;
}
