import {
  conditionTypes,
  type Integration,
  type IntegrationEvent,
  Prompt,
  PullRequest,
  type Reason,
  reasonMeanings,
  type Repository,
  Session,
  type SkippedFeedback,
  type TrackedFeedback,
} from "../../../api/v1alpha1/index.ts";
import { findCondition } from "../../../domain/conditions.ts";
import { servesRepository } from "../../../domain/integrations/serves-repository.ts";
import { isSettled } from "../../../domain/prompts/prompt-state.ts";
import type { KubeClient } from "../../../kube/client.ts";
import type { Clock } from "../../../lib/clock.ts";
import type { Verdict } from "../../conversations/lifecycle.ts";
import { refusedVerdict } from "../../conversations/refuse.ts";
import { createOnce } from "../../create-once.ts";
import { type ConnectorInformers, indexNames, sessionIndexKey } from "../../informers.ts";
import { readPermission } from "../calls.ts";
import type { GitHubApi } from "../github-api.ts";
import { repositoryOf } from "../pull-requests/lifecycle.ts";
import { type AdmissionRefusal, admissionRefusal } from "./admit.ts";
import { decideFeedback, type FeedbackDecision, type FeedbackFacts } from "./decide.ts";
import type { FeedbackKind } from "./feedback.ts";
import { admittedStatus, changedStatus, ended } from "./lifecycle.ts";
import { feedbackPrompt, longerThanPrompts } from "./prompt-text.ts";
import { readFeedback, type ReadFeedback } from "./read.ts";
import { feedbackId, makeFeedback, makeFeedbackPrompt, subjectOf } from "./resources.ts";
import { effectiveAutofix } from "../../../domain/pull-requests/autofix-settings.ts";

export interface FeedbackDeps {
  client: Pick<KubeClient, "create" | "find" | "patchStatus">;
  clock: Pick<Clock, "now">;
  github: Pick<GitHubApi, "call">;
  informers: Pick<ConnectorInformers, "prompts" | "repositories">;
}

/** An event that brought feedback, and whose pull request it is about. */
interface About {
  event: IntegrationEvent;
  integration: Integration;
  pullRequest: PullRequest;
  kind: FeedbackKind;
  objectID: number;
}

const withoutRoom = "All feedback that is kept of the pull request waits for its answer, or counts as an attempt";

const queued: Verdict = {
  counted: "steered",
  succeeded: true,
  reason: "FeedbackQueued",
  message: reasonMeanings.FeedbackQueued.means,
};

const nothingToDo = { counted: "skipped", succeeded: true, reason: "NothingToDo" } as const;

/**
 * Has feedback become a prompt of the session that owns the pull request, once: it is admitted by one write of the pull request's
 * status, then the Prompt is made, whose name follows from the feedback. @throws ProviderError
 */
export async function handleFeedback(
  deps: FeedbackDeps,
  of: Pick<About, "event" | "integration" | "pullRequest">,
  signal: AbortSignal,
): Promise<Verdict> {
  const about = { ...of, ...subjectOf(of.event) };
  const { pullRequest } = about;
  const session = await ownerOf(deps, pullRequest);
  const known = knownFeedback(about);
  const skip = skippedBefore(about);
  const before = { isSettled: skip !== undefined, session: session && { hasPrompt: known !== undefined } };
  const decision = await decideWith(deps, about, before);
  if (skip) return { ...nothingToDo, message: `It was skipped before: ${skip.reason}` };
  if (decision.kind === "skip") return refusedVerdict(decision.reason, reasonMeanings[decision.reason].means);
  if (decision.kind === "fail") return refusedVerdict(decision.reason, decision.message);
  if (!session) throw new Error("feedback without a session was not skipped");
  if (known) return goOn(deps, { ...about, session }, known, signal);
  if (decision.kind !== "ask") throw new Error(`feedback that is new cannot be ${decision.kind}`);
  const refusal = refusalOf(deps, about, session);
  if (refusal !== undefined) return refusedVerdict(refusal, reasonMeanings[refusal].means);
  const admitted = makeFeedback(pullRequest, about, { event: about.event, now: deps.clock.now() });
  const status = admittedStatus(pullRequest, admitted, settingsOf(deps, about).cap);
  if (!status) return refusedVerdict("QueueFull", withoutRoom);
  const stored = await deps.client.patchStatus(PullRequest, pullRequest, status, { signal });
  return prompt(deps, { ...about, pullRequest: stored, session }, { ...decision, name: admitted.promptName }, signal);
}

async function ownerOf(
  { client }: FeedbackDeps,
  { metadata: { namespace }, spec: { sessionRef } }: PullRequest,
): Promise<Session | undefined> {
  const session = await client.find(Session, { namespace, name: sessionRef.name });
  return session?.metadata.uid === sessionRef.uid ? session : undefined;
}

function knownFeedback(about: About): TrackedFeedback | undefined {
  const id = feedbackId(about.pullRequest, about);
  return about.pullRequest.status?.feedback?.find((one) => one.id === id);
}

/** The feedback as an earlier event brought it and it was skipped, which is not judged anew. */
function skippedBefore(about: About): SkippedFeedback | undefined {
  const id = feedbackId(about.pullRequest, about);
  const isOther = ({ eventUID }: SkippedFeedback): boolean => eventUID !== about.event.metadata.uid;
  return about.pullRequest.status?.skips?.find((one) => one.id === id && isOther(one));
}

/** Decides, and reads from GitHub what the decision asks for. */
async function decideWith(
  deps: FeedbackDeps,
  about: About,
  { isSettled, session }: Pick<FeedbackFacts, "isSettled" | "session">,
): Promise<Exclude<FeedbackDecision, { kind: "read" }> & { login?: string }> {
  const { integration, pullRequest, kind } = about;
  const facts: FeedbackFacts = {
    kind,
    isSettled,
    session,
    settings: settingsOf(deps, about),
    isRepositoryThere: repositoryObjectOf(deps, about) !== undefined,
    isRepositoryServed: servesRepository(integration, pullRequest.spec.repositoryRef.name),
    slug: integration.spec.github?.slug ?? "",
    feedback: undefined,
    permission: undefined,
  };
  for (;;) {
    const decision = decideFeedback(facts);
    const login = loginOf(facts.feedback);
    if (decision.kind !== "read") return { ...decision, login };
    if (decision.what === "feedback") facts.feedback = await read(deps, about);
    else {
      const call = readPermission(login);
      facts.permission = (await deps.github.call(integration, repositoryOf(pullRequest), call)).permission;
    }
  }
}

function repositoryObjectOf(
  { informers }: Pick<FeedbackDeps, "informers">,
  { pullRequest: { metadata, spec } }: About,
): Repository | undefined {
  return informers.repositories.get({ namespace: metadata.namespace, name: spec.repositoryRef.name });
}

function settingsOf(deps: Pick<FeedbackDeps, "informers">, about: About): FeedbackFacts["settings"] {
  const ofRepository = repositoryObjectOf(deps, about)?.spec.autofix;
  return effectiveAutofix([about.integration.spec.github?.autofix, ofRepository]);
}

function loginOf(feedback: FeedbackFacts["feedback"]): string {
  return typeof feedback === "object" ? (feedback.author?.login ?? "") : "";
}

function read(deps: FeedbackDeps, { integration, pullRequest, kind, objectID }: About): Promise<ReadFeedback> {
  const number = pullRequest.status?.number ?? 0;
  return readFeedback(deps, integration, { kind, repository: repositoryOf(pullRequest), number, id: objectID });
}

function refusalOf({ informers, clock }: FeedbackDeps, about: About, session: Session): AdmissionRefusal | undefined {
  const { metadata, status } = session;
  const prompts = informers.prompts.byIndex(
    indexNames.session,
    sessionIndexKey(metadata.namespace, metadata.uid ?? ""),
  );
  const room = {
    isClosed: metadata.deletionTimestamp !== undefined,
    isBudgetExhausted:
      findCondition(status?.conditions, conditionTypes.ready)?.reason === ("CostLimitReached" satisfies Reason),
    unfinished: prompts.filter((one) => !isSettled(one)).length,
  };
  const admitted = (about.pullRequest.status?.feedback ?? []).map(({ admittedTime }) => admittedTime);
  return admissionRefusal(room, { admitted, cap: settingsOf({ informers }, about).cap }, clock.now());
}

/** Goes on with feedback that was admitted: by an event before, or by this one before the process ended. */
async function goOn(
  deps: FeedbackDeps,
  about: About & { session: Session },
  { promptName: name, eventUID, ...rest }: TrackedFeedback,
  signal: AbortSignal,
): Promise<Verdict> {
  const { event, session, pullRequest } = about;
  if (eventUID !== event.metadata.uid) {
    return { ...nothingToDo, message: "An earlier event brought it" };
  }
  const key = { namespace: session.metadata.namespace, name };
  if (deps.informers.prompts.get(key) ?? (await deps.client.find(Prompt, key))) return verdictOf(session, name);
  const feedback = await read(deps, about);
  const made = typeof feedback === "string" ? undefined : feedbackPrompt(feedback);
  if (made?.kind === "text") return prompt(deps, about, { text: made.text, name, login: loginOf(feedback) }, signal);
  const dropped = ended({ promptName: name, eventUID, ...rest }, "Dropped");
  await deps.client.patchStatus(PullRequest, pullRequest, changedStatus(pullRequest, dropped), { signal });
  if (feedback !== "gone") return refusedVerdict("FeedbackTooLarge", made?.message ?? longerThanPrompts);
  return refusedVerdict("FeedbackNotFound", reasonMeanings.FeedbackNotFound.means);
}

async function prompt(
  { client }: FeedbackDeps,
  about: About & { session: Session },
  { text, name, login = "" }: { text: string; name: string; login?: string },
  signal: AbortSignal,
): Promise<Verdict> {
  await createOnce(client, Prompt, makeFeedbackPrompt(about, { name, text, login }), signal);
  return verdictOf(about.session, name);
}

function verdictOf({ metadata }: Session, promptName: string): Verdict {
  return { ...queued, sessionName: metadata.name, promptName };
}
