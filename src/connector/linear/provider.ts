import type { KubeClient } from "../../kube/client.ts";
import type { FirstThoughts } from "../events/first-thoughts.ts";
import type { ConnectorInformers } from "../informers.ts";
import type { Post, Prompt } from "../../api/v1alpha1/index.ts";
import type { ConversationFacts } from "../conversations/facts.ts";
import { answerOf } from "../conversations/posts.ts";
import type { Provider } from "../conversations/provider.ts";
import { showActivity, startIssue } from "./activities.ts";
import { readOrganization } from "./documents.ts";
import type { LinearApi } from "./linear-api.ts";
import { readForDecision } from "./read-issue.ts";

export interface LinearProviderDeps {
  linear: Pick<LinearApi, "call">;
  informers: ConnectorInformers;
  client: Pick<KubeClient, "find">;
  thoughts: Pick<FirstThoughts, "isPending">;
}

/** Linear; it knows a repeated activity by its id. */
export function linearProvider({ linear, informers, client, thoughts }: LinearProviderDeps): Provider {
  return {
    notesCalls: () => false,
    read: (facts: ConversationFacts) => readForDecision({ linear, informers, client }, facts),
    async post({ integration, conversation }, { post, sign }, prompt) {
      if (post.kind === "StartIssue") {
        await startIssue(linear, integration, conversation.spec.subject.slice("issue/".length));
        return undefined;
      }
      const { id, agentSessionID: agentSessionId = "" } = post;
      if (sign) {
        const { id: signId, text: body } = sign;
        const activity = { id: signId, agentSessionId, type: "thought", body, isEphemeral: true };
        await showActivity(linear, integration, activity);
        return undefined;
      }
      await showActivity(linear, integration, { id, agentSessionId, ...activityOf(post, prompt) });
      return undefined;
    },
    async workspace(integration) {
      const { organization } = await linear.call(integration, readOrganization, {});
      return organization;
    },
    isAcknowledging: (event) => thoughts.isPending(event),
  };
}

/** An activity of Linear's. */
interface Activity {
  type: "response" | "error" | "elicitation" | "thought";
  body: string;
}

const activityTypes: Partial<Record<Post["kind"], Activity["type"]>> = {
  Question: "elicitation",
  Refusal: "error",
  StopNotice: "response",
};

/** What a post says. `prompt` is the API server's own, since caches leave texts out. */
function activityOf(post: Post, prompt: Prompt | undefined): Activity {
  if (post.kind !== "Answer") return { type: activityTypes[post.kind] ?? "thought", body: post.text ?? "" };
  const { succeeded, text } = answerOf(prompt);
  return { type: succeeded ? "response" : "error", body: text };
}
