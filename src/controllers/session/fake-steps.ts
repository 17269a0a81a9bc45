import { SandboxClass } from "../../api/v1alpha1/sandbox-class.ts";
import type { SessionStatus } from "../../api/v1alpha1/session.ts";
import { podState } from "../sandbox/observe/pod-state.ts";
import { decide, type Decision, type SessionRules } from "./decide.ts";
import { afterStoring } from "./decide/after-storing.ts";
import { queueOf } from "./decide/queue.ts";
import { afterSettling, settlementsOf } from "./decide/settlements.ts";
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
  | Extract<SessionEffect, { kind: "deletePod" | "deleteSecret" | "deleteSession" | "deleteLeftover" }>
  | { kind: "wait"; atMs: number | undefined };

const sandboxClass: SandboxClass = { metadata: { name: "standard" }, ...SandboxClass.schema.parse({ spec: {} }) };
const inputs = { sandboxClass, agent: { command: ["agent"], protocol: "exec" as const, permissionRequests: "Reject" as const }, environment: {} };
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
  return { limits, start: { environment, sessionsNamespace: "sessions", tunnels } };
}

/** The facts as an observer would have read them. */
export function observed(given: GivenFacts, now: Date): SessionFacts {
  const queue = queueOf(given.session, given.prompts);
  const { snapshotTime, endTime, volumeSnapshotClassName } = given.session.status?.sandbox ?? {};
  const isSaving = snapshotTime !== undefined && endTime === undefined && volumeSnapshotClassName !== undefined;
  const facts: SessionFacts = { leftovers: [], ...(isSaving ? { olderSnapshots: [] } : {}), ...given, queue };
  const due = dueStart(afterSettling(facts, settlementsOf(facts, now), now), now);
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
  switch (first.kind) {
    case "settlePrompt": {
      const [{ reason = "", message = "" } = {}] = first.status.conditions ?? [];
      return { kind: "settlePrompt", prompt: first.prompt, reason, message };
    }
    case "writeStatus": {
      const { status, event } = first;
      return { kind: "writeStatus", status, ...(event ? { end: { reason: event.reason, message: event.note } } : {}) };
    }
    case "createVolumeSnapshot":
      return { kind: "snapshotVolume", sandbox: given.session.status?.sandbox };
    case "deletePod":
    case "deleteSecret":
    case "deleteSession":
    case "deleteLeftover":
      return first;
    default: {
      const pod = effects.find((effect) => effect.kind === "createPod");
      if (!pod) throw new Error(`the first effect is ${first.kind}`);
      return { kind: "start", ...pod.due };
    }
  }
}

/** The facts after effects were carried out, as API server and cluster would show them. */
export function afterEffects(given: SessionFacts, effects: readonly SessionEffect[], now: Date): SessionFacts {
  return effects.reduce((facts, effect) => afterEffect(facts, effect, now), given);
}

function afterEffect(facts: SessionFacts, effect: SessionEffect, now: Date): SessionFacts {
  switch (effect.kind) {
    case "writeStatus":
      // Stored as JSON: what is undefined is gone.
      return afterStoring(facts, JSON.parse(JSON.stringify(effect.status)) as SessionStatus);
    case "settlePrompt": {
      const isIt = (uid: string | undefined): boolean => uid === effect.prompt.metadata.uid;
      const prompts = facts.prompts.map((one) => (isIt(one.metadata.uid) ? { ...one, status: effect.status } : one));
      return { ...facts, prompts, queue: queueOf(facts.session, prompts) };
    }
    case "deletePod":
      return { ...facts, pods: facts.pods.filter(({ uid }) => uid !== effect.pod.uid) };
    case "deleteSecret":
      return { ...facts, secrets: facts.secrets.filter(({ uid }) => uid !== effect.secret.uid) };
    case "createBundle": {
      const isThere = facts.secrets.some(({ name }) => name === effect.secret.metadata.name);
      const { name = "" } = effect.secret.metadata;
      return isThere ? facts : { ...facts, secrets: [...facts.secrets, { ...effect.secret.metadata, uid: name }] };
    }
    case "createPod": {
      const { attempt } = effect.due;
      const adopted = facts.pods.find((pod) => pod.attempt === attempt);
      const pod = adopted ?? { ...podState({ metadata: {} }), name: `fix-x-${attempt}`, uid: `u${attempt}`, attempt };
      const { forPromptUID, replacement } = effect.due;
      const created = { ...effect.start, podName: pod.name, podUID: pod.uid, createTime: now.toISOString() };
      return {
        ...facts,
        start: { ...created, forPromptUID, replacement },
        pods: adopted ? facts.pods : [...facts.pods, pod],
      };
    }
    case "createVolumeSnapshot":
      return { ...facts, volumeSnapshot: {} };
    default:
      return facts;
  }
}
