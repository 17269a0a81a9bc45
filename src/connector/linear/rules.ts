import type { IntegrationEvent, LinearEvent } from "../../api/v1alpha1/index.ts";
import type { ProviderRules } from "../conversations/provider-rules.ts";
import { accessDenied, mayAsk } from "./access.ts";
import { followUpPrompt } from "./prompt-text.ts";

/** What is kept of an event of Linear's. */
export function linearOf({ spec }: IntegrationEvent): LinearEvent {
  if (!spec.linear) throw new Error("the event is none of Linear's");
  return spec.linear;
}

export const linearRules: ProviderRules = {
  /** Its issue, or the agent session where it has none. */
  subjectOf(event) {
    const { issueID, agentSessionID } = linearOf(event);
    return issueID === undefined ? `agent-session/${agentSessionID}` : `issue/${issueID}`;
  },
  askOf: (event) => linearOf(event).action,
  mayAsk: (spec, event) => mayAsk(spec, linearOf(event)),
  accessDenied,
  /** `linear:<workspace>:<user>` */
  requesterOf({ spec }, event) {
    return `linear:${spec.linear?.organizationID ?? ""}:${linearOf(event).actor?.id ?? "automation"}`;
  },
  slides: false,
  // Linear shows by itself that an agent is at work.
  showsProgress: false,
  wantsSigns: true,
  followUpText: (event, lastAnswer) => followUpPrompt(linearOf(event), lastAnswer),
  placeOf: (event) => ({ agentSessionID: linearOf(event).agentSessionID }),
  /** The issue is moved for people alone. */
  startPosts(event, sessionName) {
    const { actor, issueID } = linearOf(event);
    const isByPerson = actor !== undefined && issueID !== undefined;
    return isByPerson ? [{ kind: "StartIssue", progress: "Waiting", sessionName }] : [];
  },
};
