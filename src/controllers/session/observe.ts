import { Prompt } from "../../api/v1alpha1/prompt.ts";
import { reasons } from "../../api/v1alpha1/reasons.ts";
import type { Session } from "../../api/v1alpha1/session.ts";
import { parentReference } from "../../domain/children/parent.ts";
import { effectiveSettings } from "../../domain/settings/effective.ts";
import { executionTimeoutMs, type OperatorSettings } from "../../domain/settings/execution-timeout.ts";
import type { KubeClient } from "../../kube/client.ts";
import type { Clock } from "../../lib/clock.ts";
import { keyOf, keyText } from "../../lib/resource.ts";
import { type Refusal, refused } from "../sandbox/refusal.ts";
import type { FoundSettings, ReadyStart, StartObstacle } from "../sandbox/facts.ts";
import { architectureLabel } from "../sandbox/images/choose.ts";
import { type AttemptObserverDeps, observeAttempt, observeStart, type StartObserverDeps } from "../sandbox/observe.ts";
import { type AttemptOwner, sessionAsOwner } from "../sandbox/owner.ts";
import { sandboxPodName } from "../sandbox/pod/names.ts";
import { revisionOf } from "../sandbox/pool/revision.ts";
import { warmKey, type WarmPods } from "../sandbox/pool/warm-pods.ts";
import type { StartInputs } from "../sandbox/start/inputs.ts";
import { podSource, type StartConfig } from "../sandbox/start/make-start.ts";
import { placesForChildren, type SandboxSlots } from "../sandbox/start/slots.ts";
import { turnsIn } from "./decide/earlier-turns.ts";
import { queueOf } from "./decide/queue.ts";
import { settlePrompts } from "./decide/settlements.ts";
import { dueStart } from "./decide/start.ts";
import type { Findings } from "./effects.ts";
import { type DueStart, isLeftBehind, type SessionFacts } from "./facts.ts";
import type { SessionInformers } from "./informers.ts";
import { childVerdict, observeChildren } from "./observe/family.ts";
import { observeFamilyCost } from "./observe/family-cost.ts";
import { integrationProblem } from "./observe/integration.ts";
import { findLeftovers } from "./observe/leftovers.ts";
import { readPayload } from "./observe/payload.ts";
import { ownPrompts } from "./observe/own-prompts.ts";
import { promptsInTurn } from "./observe/prompts-in-turn.ts";

export interface SessionObserverDeps extends AttemptObserverDeps, StartObserverDeps {
  client: Pick<KubeClient, "find" | "list" | "create">;
  informers: SessionInformers;
  clock: Pick<Clock, "now">;
  operator: OperatorSettings;
  slots: Pick<SandboxSlots, "take">;
  /** Left out where there are no pools. */
  warmPods?: WarmPods | undefined;
  start: StartConfig;
}

/**
 * Reads all that a decision about a session rests on, once: caches, the API server where a cache would condemn, and what
 * a start needs where one is due. `findings` are what effects of the last decision found out.
 */
export async function observeSession(
  deps: SessionObserverDeps,
  session: Session,
  findings: Findings,
): Promise<SessionFacts> {
  const { clock, informers } = deps;
  const turn = await promptsInTurn(deps.client, session, await ownPrompts(deps, session));
  const { start, notSaved } = findings;
  const attempt = await observeAttempt(deps, sessionAsOwner(session), start);
  const verdict = childVerdict(informers, session);
  const facts: SessionFacts = {
    session,
    ...turn,
    queue: queueOf(session, turn.prompts),
    ...attempt,
    ...(notSaved === undefined ? {} : { volumeSnapshot: { note: { problem: notSaved } } }),
    verdict,
    children: observeChildren(informers, session, clock.now()),
    ...observeFamilyCost(deps, session),
    leftovers: await findLeftovers(deps, keyOf(session)),
    start,
    obstacle: verdict?.kind === "refused" ? refusedByParent(verdict) : findings.obstacle,
  };
  return withStart(deps, facts);
}

function mismatched(message: string): { refusal: Refusal } {
  const { refusal } = refused(reasons.integrationMismatch, `The Session does not start: ${message}`);
  return { refusal };
}

function refusedByParent({ message }: { message: string }): StartObstacle {
  return { kind: "refused", refusal: { reason: reasons.childRefused, message } };
}

/** The facts with all that a start needs, where one is due once prompts that end without it have ended. */
async function withStart(deps: SessionObserverDeps, facts: SessionFacts): Promise<SessionFacts> {
  const now = deps.clock.now();
  const { session, verdict } = facts;
  const isGoing = session.metadata.deletionTimestamp !== undefined || isLeftBehind(session);
  if (isGoing || verdict?.kind === "open") return facts;
  const due = dueStart(settlePrompts(facts, now).facts, now);
  if (!due) return facts;
  const mismatch = await integrationProblem(deps.client, session);
  return mismatch === undefined
    ? withDueStart(deps, facts, due)
    : { ...facts, due, obstacle: { kind: "refused", ...mismatched(mismatch) } };
}

async function withDueStart(deps: SessionObserverDeps, facts: SessionFacts, due: DueStart): Promise<SessionFacts> {
  const { session } = facts;
  const owner = withParentsSkills(deps.informers, session);
  const reading = await observeStart(deps, owner, (inputs) => foundSettings(deps.operator, session, inputs));
  if (reading.kind === "lacksAccount") return { ...facts, due, lacksAccount: { defaultClass: reading.defaultClass } };
  if (reading.kind !== "ready") return { ...facts, due, obstacle: reading };
  const ready = { ...reading.ready, ...chooseWarm(deps, owner, due, reading.ready) };
  const placed = place(deps, session, due, ready);
  if (!placed.ready) return { ...facts, due, ...placed };
  const payload = await readPayload(deps.client, session);
  if (!payload.ok) return { ...facts, due, obstacle: { kind: "refused", refusal: payload.refusal } };
  return { ...facts, due, ...placed, turns: await readTurns(deps.client, facts.prompts), payload: payload.value };
}

/** The session as an owner. A child has its parent's skills, so that an agent gets nothing by starting one. */
function withParentsSkills({ sessions }: SessionInformers, session: Session): AttemptOwner {
  const owner = sessionAsOwner(session);
  const parent = parentReference(session);
  if (owner.skills.isFixed || !parent) return owner;
  const found = sessions.get({ namespace: session.metadata.namespace, name: parent.name });
  return { ...owner, skills: { isFixed: true, set: found?.status?.skills } };
}

/** The turns before a start as the API server has them: the cache leaves their texts out. */
async function readTurns(client: SessionObserverDeps["client"], prompts: readonly Prompt[]): Promise<Prompt[]> {
  const live = await Promise.all(turnsIn(prompts).map((prompt) => client.find<Prompt>(Prompt, keyOf(prompt))));
  return live.filter((prompt) => prompt !== undefined);
}

/**
 * What a session's settings come to: what was copied before, or else as all scopes are now. The session's own cost limit
 * is left out, since it may change at any time.
 */
function foundSettings(
  operator: OperatorSettings,
  { spec, status }: Session,
  { sandboxClass, targetSettings, repositories: found }: StartInputs,
): FoundSettings {
  if (status?.settings) return { copied: status, bounded: [] };
  const own = { ...spec.settings, maxSessionCostUsd: undefined };
  const scopes = [...targetSettings, { origin: "Session", settings: own }];
  const { settings, origins: settingOrigins, bounded } = effectiveSettings(operator.settings, sandboxClass, scopes);
  const budgetMs = executionTimeoutMs(
    operator,
    scopes.map((scope) => scope.settings),
  );
  const lifetimeMs = settings.sandboxTimeoutMs;
  const repositories = found.map(({ name }) => name);
  return { copied: { executionTimeoutMs: budgetMs, lifetimeMs, settings, settingOrigins, repositories }, bounded };
}

/**
 * A pod of a pool that would be no other than the attempt's own. After one that did not answer the next is a new one. Pods that
 * wait are bound to no architecture where their class is not, as that of an image is.
 */
function chooseWarm(
  { warmPods, start }: SessionObserverDeps,
  owner: AttemptOwner,
  { attempt, isAfterPool }: DueStart,
  ready: ReadyStart,
): Pick<ReadyStart, "warm" | "hasPool"> {
  const { metadata, spec } = owner;
  const className = ready.inputs.sandboxClass.metadata.name ?? "";
  const wanted = { owner, className, serviceAccountName: spec.serviceAccountName };
  const isBound = ready.inputs.sandboxClass.spec.nodeSelector?.[architectureLabel] !== undefined;
  if (!warmPods || isAfterPool || (ready.image?.used && !isBound)) return {};
  const revision = revisionOf(podSource(start, owner, ready));
  const warm = warmPods.choose({ ...wanted, podKey: podKeyOf(metadata, attempt), revision });
  return { warm, hasPool: warmPods.serves(wanted) };
}

/** Takes a place in the class for the pod, or says that there is none. */
function place(
  { slots }: SessionObserverDeps,
  { metadata }: Session,
  { attempt }: DueStart,
  ready: ReadyStart,
): Pick<SessionFacts, "ready" | "obstacle"> {
  const { warm, inputs } = ready;
  const { sandboxClass } = inputs;
  const className = sandboxClass.metadata.name ?? "";
  const { maxSandboxes, maxSandboxesPerNamespace } = sandboxClass.spec;
  const isChild = parentReference({ metadata }) !== undefined;
  const taking = slots.take({
    className,
    maxSandboxes,
    maxSandboxesPerNamespace,
    // One that waited has its place already.
    podKey: warm ? warmKey(warm) : podKeyOf(metadata, attempt),
    waiterKey: keyText(keyOf({ metadata })),
    isChild,
    since: metadata.creationTimestamp ?? "",
  });
  if (taking === "taken") return { ready };
  const message =
    taking === "classIsFull"
      ? `SandboxClass ${className} has ${noPlace(maxSandboxes, isChild)}. ${askForMore} (maxSandboxes)`
      : `Namespace ${metadata.namespace ?? ""} has, by maxSandboxesPerNamespace of SandboxClass ${className}, ${noPlace(maxSandboxesPerNamespace ?? 0, isChild)}. ${askForMore}`;
  return { obstacle: { kind: "full", message, settings: ready.settings } };
}

const askForMore = "The session starts when one is free; the platform team can raise the limit";

function noPlace(places: number, isChild: boolean): string {
  const kept = isChild ? 0 : placesForChildren(places);
  return kept === 0 ? `its ${places} sandboxes` : `no place left: of its ${places}, child sessions alone take ${kept}`;
}

/** `namespace/name` of the pod of one attempt. */
export function podKeyOf({ namespace, name = "", uid = "" }: Session["metadata"], attempt: number): string {
  return keyText({ namespace, name: sandboxPodName({ name, uid }, attempt) });
}
