import { Session } from "../../../api/v1alpha1/index.ts";
import type { KubeClient } from "../../../kube/client.ts";
import type { Clock } from "../../../lib/clock.ts";
import type { NamespacedName } from "../../../lib/namespaced-name.ts";
import { ApiError } from "../../http/errors.ts";
import { findLive } from "../../http/find-live.ts";
import type { HandlersOf } from "../../http/router.ts";
import { findPrompt } from "../find-prompt.ts";
import type { pullRequestOperations } from "./operations.ts";
import type { PullRequestRequests } from "./pull-request-requests.ts";
import { type ReportedBranch, reportedBranch } from "./reported-branch.ts";
import { shownOfPrompt, withoutBranch } from "./shown-pull-request.ts";

interface PullRequestHandlersDeps {
  client: Pick<KubeClient, "find">;
  clock: Pick<Clock, "now">;
  pullRequests: PullRequestRequests;
}

/** Handlers of the pull requests of prompts. */
export function pullRequestHandlers(deps: PullRequestHandlersDeps): HandlersOf<typeof pullRequestOperations> {
  const { client, clock, pullRequests } = deps;
  const reported = async (
    named: NamespacedName,
    name: string,
    signal: AbortSignal,
  ): Promise<ReportedBranch | undefined> => {
    const prompt = await findPrompt(client, { session: named, name }, signal);
    return reportedBranch(prompt, await findLive<Session>(client, Session, named, signal));
  };
  return {
    async getPullRequest({ named, prompt: name, signal }) {
      const found = await reported(named, name, signal);
      if (!found) return { status: 200, body: withoutBranch };
      return { status: 200, body: shownOfPrompt(found, await pullRequests.read(found, signal), clock.now()) };
    },
    async requestPullRequest({ requester, named, prompt: name, signal }) {
      const found = await reported(named, name, signal);
      if (!found) throw new ApiError("NoBranch", `prompt ${name} has not ended with a branch`);
      const asked = await pullRequests.ask(found, { requester, signal });
      const body = shownOfPrompt(asked.reported, asked.known, clock.now());
      return { status: asked.isDone ? 200 : 202, body };
    },
  };
}
