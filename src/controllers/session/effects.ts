import { Prompt } from "../../api/v1alpha1/prompt.ts";
import { Session } from "../../api/v1alpha1/session.ts";
import { isSettled } from "../../domain/prompts/prompt-state.ts";
import type { KubeClient } from "../../kube/client.ts";
import { pods, secrets } from "../../kube/core-resources.ts";
import { isConflict, isInvalid } from "../../kube/errors.ts";
import type { Clock } from "../../lib/clock.ts";
import { keyOf } from "../../lib/resource.ts";
import type { SessionFacts, UnrecordedStart } from "./facts.ts";
import type { Step } from "./decide.ts";
import { failedStatus } from "./decide/queue.ts";
import { saveVolume } from "../sandbox/volume-saving.ts";
import { afterStoring } from "./stored-facts.ts";
import type { SandboxStarter } from "../sandbox/effects.ts";

export interface ActorDeps {
  client: Pick<KubeClient, "find" | "list" | "create" | "patchStatus" | "delete">;
  clock: Clock;
  starter: SandboxStarter;
}

type Of<Kind extends Step["kind"]> = Extract<Step, { kind: Kind }>;
/** All steps that change something. */
export type ActiveStep = Exclude<Step, { kind: "wait" }>;

/** Carries out one step and returns the facts as they are then. Rejects when it failed; deciding anew is always safe. */
export async function takeStep(deps: ActorDeps, step: ActiveStep, facts: SessionFacts): Promise<SessionFacts> {
  switch (step.kind) {
    case "settlePrompt":
      return settlePrompt(deps, step, facts);
    case "writeStatus":
      return writeStatus(deps, step, facts);
    case "snapshotVolume":
      return snapshotVolume(deps, step, facts);
    case "deleteSession":
      return deleteSession(deps, facts);
    case "deletePod":
      return deletePod(deps, step, facts);
    case "deleteSecret":
      return deleteSecret(deps, step, facts);
    case "start":
      return start(deps, step, facts);
  }
}

async function writeStatus(
  { client }: ActorDeps,
  { status }: Of<"writeStatus">,
  facts: SessionFacts,
): Promise<SessionFacts> {
  return afterStoring(facts, await client.patchStatus(Session, facts.session, status));
}

/** Who settles first has settled: when the gateway was faster, its verdict is taken over. */
async function settlePrompt(deps: ActorDeps, step: Of<"settlePrompt">, facts: SessionFacts): Promise<SessionFacts> {
  const { client, clock } = deps;
  const { prompt } = step;
  const status = failedStatus(prompt, step, clock.now());
  try {
    return withPrompt(facts, await client.patchStatus(Prompt, prompt, status));
  } catch (error) {
    if (!isConflict(error) && !isInvalid(error)) throw error;
    const live = await client.find(Prompt, keyOf(prompt));
    const isOther = live?.metadata.uid !== prompt.metadata.uid;
    if (isOther || !live) return { ...facts, prompts: facts.prompts.filter((one) => one !== prompt) };
    if (isInvalid(error) && !isSettled(live)) throw error;
    return withPrompt(facts, live);
  }
}

function withPrompt(facts: SessionFacts, prompt: Prompt): SessionFacts {
  const prompts = facts.prompts.map((one) => (one.metadata.uid === prompt.metadata.uid ? prompt : one));
  return { ...facts, prompts };
}

async function snapshotVolume(
  { client }: ActorDeps,
  { sandbox }: Of<"snapshotVolume">,
  facts: SessionFacts,
): Promise<SessionFacts> {
  return { ...facts, volumeSnapshot: { note: await saveVolume(client, facts.session, sandbox) } };
}

async function deleteSession({ client }: ActorDeps, facts: SessionFacts): Promise<SessionFacts> {
  const { uid, resourceVersion } = facts.session.metadata;
  await client.delete(Session, keyOf(facts.session), { uid, resourceVersion, propagationPolicy: "Background" });
  return { ...facts, obstacle: { kind: "gone" } };
}

async function deletePod({ client }: ActorDeps, { pod }: Of<"deletePod">, facts: SessionFacts): Promise<SessionFacts> {
  const { uid, name, resourceVersion } = pod;
  const { namespace } = facts.session.metadata;
  const wasThere = await client.delete(pods, { namespace, name }, { uid, resourceVersion });
  const others = facts.pods.filter((one) => one !== pod);
  return { ...facts, pods: wasThere ? [...others, { ...pod, isTerminating: true }] : others };
}

async function deleteSecret(
  { client }: ActorDeps,
  { secret }: Of<"deleteSecret">,
  facts: SessionFacts,
): Promise<SessionFacts> {
  const { namespace, name = "", uid, resourceVersion } = secret;
  await client.delete(secrets, { namespace, name }, { uid, resourceVersion });
  return { ...facts, secrets: facts.secrets.filter((one) => one !== secret) };
}

type CreatedPod = Pick<UnrecordedStart, "podUID" | "podName" | "attempt">;

/** The cache shows the pod later, and until then it is not gone. */
function withPod(facts: SessionFacts, { podUID, podName, attempt }: CreatedPod): SessionFacts {
  if (facts.pods.some(({ uid }) => uid === podUID)) return facts;
  const pod = { name: podName, uid: podUID, attempt, isStarted: false, isTerminating: false };
  return { ...facts, pods: [...facts.pods, pod] };
}

async function start(
  { starter }: ActorDeps,
  { kind: _, givenUp: __, ...order }: Of<"start">,
  facts: SessionFacts,
): Promise<SessionFacts> {
  const outcome = await starter.start(facts.session, order);
  if (outcome.kind === "started") return withPod({ ...facts, start: outcome.start }, outcome.start);
  const held = { ...facts, obstacle: outcome };
  if (outcome.kind !== "rejected") return held;
  const { bundle, podName, podUID } = outcome;
  const known = podUID === undefined ? held : withPod(held, { podUID, podName, attempt: order.attempt });
  return { ...known, secrets: [...facts.secrets, ...(bundle ? [bundle] : [])] };
}
