import { type Integration, IntegrationEvent, type LinearEvent, type Target } from "../../api/v1alpha1/index.ts";
import type { KubeClient } from "../../kube/client.ts";
import { keyOf } from "../../lib/resource.ts";
import { candidatesOf } from "../candidates.ts";
import type { ConversationFacts } from "../conversations/facts.ts";
import type { Read } from "../conversations/provider.ts";
import { earlierRequests } from "../conversations/questions.ts";
import { targetExists } from "../conversations/target-exists.ts";
import type { ConnectorInformers } from "../informers.ts";
import { type CommentFields, issueNames, type IssueFields, readIssue, suggestRepositories } from "./documents.ts";
import type { LinearApi } from "./linear-api.ts";
import { firstPrompt, type Issue } from "./prompt-text.ts";
import { linearOf } from "./rules.ts";
import { decideTarget, type TargetDecision, targetQuestion } from "./target.ts";

export interface IssueReaderDeps {
  linear: Pick<LinearApi, "call">;
  informers: Pick<ConnectorInformers, "repositories" | "environments">;
  client: Pick<KubeClient, "find">;
}

interface ReadIssue {
  issue: Issue | undefined;
  target: TargetDecision;
  question: string;
}

const shownComments = 5;

/** Reads the issue of the first event that waits, and finds what a session for it works on. @throws ProviderError */
export async function readForDecision(deps: IssueReaderDeps, facts: ConversationFacts): Promise<Read> {
  const { integration, conversation, events } = facts;
  const [event] = events;
  if (!event) throw new Error("there is no event whose issue could be read");
  const { startEventUID, target: decided } = conversation?.status ?? {};
  const known = startEventUID === event.metadata.uid ? decided : undefined;
  const { issue, target, question } = await readEventsIssue(deps, integration, { event, known });
  const { issueIdentifier = "Linear" } = linearOf(event);
  const title = issue ? `${issueIdentifier} ${issue.title}` : issueIdentifier;
  if (target.kind !== "target") return { title, text: "", target: { kind: "ask", question }, isWhole: true };
  const [request, ...answers] = [...(await earlierEvents(deps, facts, event)), linearOf(event)];
  const text = firstPrompt({ request, answers }, issue, integration.spec.sessionInstructions);
  return { title, text, target, isWhole: true };
}

/** What was said before the event, where that answers a question; caches leave texts of events out that are settled. */
async function earlierEvents(
  { client }: IssueReaderDeps,
  facts: ConversationFacts,
  event: IntegrationEvent,
): Promise<LinearEvent[]> {
  const cached = earlierRequests(facts, event).flatMap((uid) => facts.known.get(uid) ?? []);
  const found = await Promise.all(cached.map((one) => client.find(IntegrationEvent, keyOf(one))));
  return found.flatMap((one, index) => (one && one.metadata.uid === cached[index]?.metadata.uid ? linearOf(one) : []));
}

/** Reads an event's issue and finds what a session for it works on; `known` is what was decided before. @throws ProviderError */
async function readEventsIssue(
  deps: IssueReaderDeps,
  integration: Integration,
  { event, known }: { event: IntegrationEvent; known: Target | undefined },
): Promise<ReadIssue> {
  const { issueID, agentSessionID: agentSessionId } = linearOf(event);
  const fields =
    issueID === undefined ? undefined : (await deps.linear.call(integration, readIssue, { id: issueID })).issue;
  const issue = fields && (await named(deps, integration, fields));
  const candidates = candidatesOf(deps, integration, integration.spec.linear?.repositories);
  const question = targetQuestion(candidates);
  if (known) return { issue, target: { kind: "target", target: known }, question };
  const wanted = {
    settings: integration.spec.linear ?? noSettings,
    event: linearOf(event),
    issue: fields && { projectId: fields.project?.id, labels: fields.labels.nodes.map(({ name }) => name) },
    candidates,
    exists: (target: Target) => targetExists(deps.informers, integration, target),
  };
  const target = decideTarget({ ...wanted, suggestions: undefined });
  if (target.kind !== "suggest" || issueID === undefined) return { issue, target, question };
  const { issueRepositorySuggestions } = await deps.linear.call(integration, suggestRepositories, {
    issueId: issueID,
    agentSessionId,
    candidateRepositories: candidates.map(({ fullName, hostname }) => ({ hostname, repositoryFullName: fullName })),
  });
  return { issue, target: decideTarget({ ...wanted, suggestions: issueRepositorySuggestions.suggestions }), question };
}

const noSettings = { organizationID: "", repositories: [], projects: [], teams: [] };

/** Linear gives ids where it could give names, so those are asked for in a second call. */
async function named({ linear }: IssueReaderDeps, integration: Integration, fields: IssueFields): Promise<Issue> {
  const names = await linear.call(integration, issueNames, {
    state: fields.state.id,
    project: fields.project?.id ?? "",
    hasProject: Boolean(fields.project),
    user: fields.assignee?.id ?? "",
    hasUser: Boolean(fields.assignee),
  });
  return {
    identifier: fields.identifier,
    url: fields.url,
    title: fields.title,
    description: fields.description ?? "",
    labels: fields.labels.nodes.map(({ name }) => name),
    project: names.project?.name,
    assignee: names.user?.name,
    priority: fields.priorityLabel,
    comments: newestComments(fields).map(({ body }) => body),
  };
}

function newestComments({ first, last }: IssueFields): CommentFields[] {
  const all = new Map([...first.nodes, ...last.nodes].map((comment) => [comment.id, comment]));
  const sorted = [...all.values()].toSorted((left, right) => Date.parse(left.createdAt) - Date.parse(right.createdAt));
  return sorted.slice(-shownComments);
}
