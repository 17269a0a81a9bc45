import type { Integration } from "../../api/v1alpha1/index.ts";
import { createActivity, findActivity, issueNames, moveIssue, readIssue, startedStates } from "./documents.ts";
import type { LinearApi } from "./linear-api.ts";
import { ProviderError } from "../provider-error.ts";

export interface ActivityCall {
  /** A UUID by which Linear knows a repeated call. */
  id: string;
  agentSessionId: string;
  type: string;
  body: string;
  /** Whether Linear takes it away when another activity comes, as it does with thoughts alone. */
  isEphemeral?: boolean;
}

/**
 * Shows an activity at an agent session. A repeat has the same id, so that there is one activity whatever became of the first
 * call; where Linear refuses a repeat, it is asked whether it has it. @throws ProviderError
 */
export async function showActivity(
  linear: Pick<LinearApi, "call">,
  integration: Integration,
  { id, agentSessionId, type, body, isEphemeral = false }: ActivityCall,
): Promise<void> {
  const input = { id, agentSessionId, content: { type, body }, ...(isEphemeral && { ephemeral: true }) };
  try {
    const { agentActivityCreate } = await linear.call(integration, createActivity, { input });
    if (!agentActivityCreate.success) throw new ProviderError("refused", "Linear did not take the activity");
  } catch (error) {
    if (!(error instanceof ProviderError) || error.failure !== "refused") throw error;
    const isThere = await linear.call(integration, findActivity, { id }).then(
      () => true,
      (failure: unknown) => {
        if (failure instanceof ProviderError && failure.failure === "refused") return false;
        throw failure;
      },
    );
    if (!isThere) throw error;
  }
}

/** Types of states in which an issue is left where it is. */
const untouched = ["started", "completed", "canceled", "duplicate"];

/** Moves an issue to the first started state of its team, unless work on it has begun or ended. @throws ProviderError */
export async function startIssue(linear: Pick<LinearApi, "call">, integration: Integration, id: string): Promise<void> {
  const { issue } = await linear.call(integration, readIssue, { id });
  const { workflowState } = await linear.call(integration, issueNames, {
    state: issue.state.id,
    project: "",
    hasProject: false,
    user: "",
    hasUser: false,
  });
  if (untouched.includes(workflowState.type)) return;
  const { team } = await linear.call(integration, startedStates, { id: issue.team.id });
  const [first] = team.states.nodes
    .filter(({ type }) => type === "started")
    .toSorted((left, right) => left.position - right.position);
  if (!first) return;
  const { issueUpdate } = await linear.call(integration, moveIssue, { id, input: { stateId: first.id } });
  if (!issueUpdate.success) throw new ProviderError("refused", "Linear did not move the issue");
}
