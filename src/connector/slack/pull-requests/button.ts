import type { Button, KnownBlock } from "@slack/types";

import { type Post, type Prompt, Session } from "../../../api/v1alpha1/index.ts";
import { pullRequestAction } from "../../../domain/integrations/slack-actions.ts";
import { pullRequestOf } from "../../../domain/pull-requests/wish.ts";
import type { KubeClient } from "../../../kube/client.ts";
import { opensWhenAsked } from "../../github/pull-requests/wanting.ts";
import type { ConnectorInformers } from "../../informers.ts";

export interface ButtonDeps {
  client: Pick<KubeClient, "find">;
  informers: Pick<ConnectorInformers, "integrations" | "repositories" | "environments" | "pullRequests">;
}

/** Whether an answer gets the button: its branch has no pull request that is open, and an Integration opens one when asked. */
export async function hasButton(deps: ButtonDeps, { sessionName }: Post, prompt: Prompt | undefined): Promise<boolean> {
  const branch = prompt?.status?.result?.branch;
  const { namespace } = prompt?.metadata ?? {};
  if (branch === undefined || sessionName === undefined) return false;
  const session = await deps.client.find<Session>(Session, { namespace, name: sessionName });
  return session !== undefined && isOpenedByAsking(deps, session, branch);
}

function isOpenedByAsking(deps: ButtonDeps, session: Session, branch: string): boolean {
  if (!opensWhenAsked(deps, session, branch)) return false;
  const known = pullRequestOf(deps.informers.pullRequests.list(session.metadata.namespace), session, branch);
  return known?.status?.number === undefined;
}

/** The button; post and Conversation come back with a press. */
export function buttonBlock({ id }: Pick<Post, "id">, conversationName: string): KnownBlock {
  const text = { type: "plain_text", text: "Open pull request" } as const;
  const button: Button = { type: "button", action_id: pullRequestAction, text, value: conversationName };
  return { type: "actions", block_id: id, elements: [button] };
}
