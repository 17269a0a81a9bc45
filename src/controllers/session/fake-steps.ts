import { SandboxClass } from "../../api/v1alpha1/sandbox-class.ts";
import type { SessionStatus } from "../../api/v1alpha1/session.ts";
import { podState } from "../sandbox/observe/pod-state.ts";
import { afterStoring, decide, type Decision, type SessionRules } from "./decide.ts";
import { queueOf } from "./decide/queue.ts";
import { settlePrompts } from "./decide/settlements.ts";
import { dueStart } from "./decide/start.ts";
import type { SessionLimits } from "./decide/status.ts";
import type { SessionEffect } from "./effects.ts";
import type { DueStart, SessionFacts } from "./facts.ts";

/** Facts as a test gives them: what follows from the others is filled in. */
export type GivenFacts = Omit<SessionFacts, "queue" | "leftovers" | "due" | "ready"> & Partial<SessionFacts>;

/** The first effect of a decision, with what tables are about, or what the decision waits for. */
export type FirstStep =
  | { kind: "settlePrompt"; prompt: object; reason: string; message: string }
  | { kind: "writeStatus"; status: SessionStatus; end?: { reason: string; message: string } }
  | { kind: "snapshotVolume"; sandbox: object | undefined }
  | ({ kind: "start" } & DueStart)
  | Extract<SessionEffect, { kind: "deletePod" | "deleteSecret" | "deleteSession" }>
  | { kind: "wait"; atMs: number | undefined };

const sandboxClass: SandboxClass = { metadata: { name: "standard" }, ...SandboxClass.schema.parse({ spec: {} }) };
const inputs = {
  sandboxClass,
  agent: { command: ["agent"], protocol: "exec" as const, permissionRequests: "Reject" as const },
  environment: {},
  skills: undefined,
};
const found = { repositories: [], githubApps: [], targetSettings: [], sources: [] };
const ready = {
  inputs: { ...inputs, ...found },
  settings: { copied: {}, bounded: [] },
  gatewayCa: "PEM",
  policies: [],
};

function rulesOf(limits: SessionLimits): SessionRules {
  const release = { name: "rw", namespace: "system" };
  const environment = { release, image: "sandbox:1", gatewayUrl: "wss://gateway" };
  const tunnels = { peopleUrl: "https://gateway", waitSeconds: 30 };
  return { limits, start: { environment, sessionsNamespace: "sessions", tunnels, ...limits } };
}

/** The facts as an observer would have read them. */
export function observed(given: GivenFacts, now: Date): SessionFacts {
  const queue = queueOf(given.session, given.prompts);
  const { snapshotTime, endTime, volumeSnapshotClassName } = given.session.status?.sandbox ?? {};
  const isSaving = snapshotTime !== undefined && endTime === undefined && volumeSnapshotClassName !== undefined;
  const facts: SessionFacts = { leftovers: [], ...(isSaving ? { olderSnapshots: [] } : {}), ...given, queue };
  const due = dueStart(settlePrompts(facts, now).facts, now);
  return due ? { ...facts, due, ready } : { ...facts, due: undefined, ready: undefined };
}

/** The decision on facts as an observer would have read them. */
export function decided(given: GivenFacts, now: Date, limits: SessionLimits): Decision {
  return decide(observed(given, now), now, rulesOf(limits));
}

/** What a decision does first. */
export function firstStep(given: GivenFacts, now: Date, limits: SessionLimits): FirstStep {
  const { effects, wakeAtMs } = decided(given, now, limits);
  const [first] = effects;
  if (!first) return { kind: "wait", atMs: wakeAtMs };
  if (first.kind === "settlePrompt") return settlementStep(first);
  if (first.kind === "writeStatus") return statusStep(first);
  if (first.kind === "createVolumeSnapshot") {
    return { kind: "snapshotVolume", sandbox: given.session.status?.sandbox };
  }
  if (first.kind === "deletePod" || first.kind === "deleteSecret" || first.kind === "deleteSession") return first;
  const pod = effects.find((effect) => effect.kind === "createPod");
  if (!pod) throw new Error(`the first effect is ${first.kind}`);
  return { kind: "start", ...pod.due };
}

function settlementStep({ prompt, status }: Extract<SessionEffect, { kind: "settlePrompt" }>): FirstStep {
  const [verdict] = status.conditions ?? [];
  return { kind: "settlePrompt", prompt, reason: verdict?.reason ?? "", message: verdict?.message ?? "" };
}

function statusStep({ status, event }: Extract<SessionEffect, { kind: "writeStatus" }>): FirstStep {
  return { kind: "writeStatus", status, ...(event ? { end: { reason: event.reason, message: event.note } } : {}) };
}

/** The facts after effects were carried out, as API server and cluster would show them. */
export function afterEffects(given: SessionFacts, effects: readonly SessionEffect[], now: Date): SessionFacts {
  return effects.reduce((facts, effect) => afterEffect(facts, effect, now), given);
}

type Simulate<Kind> = (facts: SessionFacts, effect: Extract<SessionEffect, { kind: Kind }>, now: Date) => SessionFacts;

const simulated: { [Kind in SessionEffect["kind"]]?: Simulate<Kind> } = {
  // Stored as JSON: what is undefined is gone.
  writeStatus: (facts, { status }) => afterStoring(facts, JSON.parse(JSON.stringify(status)) as SessionStatus),
  settlePrompt(facts, { prompt, status }) {
    const isIt = (uid: string | undefined): boolean => uid === prompt.metadata.uid;
    const prompts = facts.prompts.map((one) => (isIt(one.metadata.uid) ? { ...one, status } : one));
    return { ...facts, prompts, queue: queueOf(facts.session, prompts) };
  },
  deletePod: (facts, { pod }) => ({ ...facts, pods: facts.pods.filter(({ uid }) => uid !== pod.uid) }),
  deleteSecret: (facts, { secret }) => ({ ...facts, secrets: facts.secrets.filter(({ uid }) => uid !== secret.uid) }),
  createBundle(facts, { secret: { metadata } }) {
    if (facts.secrets.some(({ name }) => name === metadata.name)) return facts;
    return { ...facts, secrets: [...facts.secrets, { ...metadata, uid: metadata.name }] };
  },
  createPod(facts, { due, start }, now) {
    const { attempt, forPromptUID, replacement } = due;
    const adopted = facts.pods.find((pod) => pod.attempt === attempt);
    const pod = adopted ?? { ...podState({ metadata: {} }), name: `fix-x-${attempt}`, uid: `u${attempt}`, attempt };
    const created = { ...start, podName: pod.name, podUID: pod.uid, createTime: now.toISOString() };
    const pods = adopted ? facts.pods : [...facts.pods, pod];
    return { ...facts, start: { ...created, forPromptUID, replacement }, pods };
  },
  createVolumeSnapshot: (facts) => ({ ...facts, volumeSnapshot: {} }),
};

function afterEffect(facts: SessionFacts, effect: SessionEffect, now: Date): SessionFacts {
  // The table has each effect under its own kind.
  const simulate = simulated[effect.kind] as Simulate<SessionEffect["kind"]> | undefined;
  return simulate ? simulate(facts, effect, now) : facts;
}
