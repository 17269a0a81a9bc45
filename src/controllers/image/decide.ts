import { conditionTypes } from "../../api/v1alpha1/names.ts";
import type { PrebuiltImageStatus } from "../../api/v1alpha1/prebuilt-image.ts";
import { reasons } from "../../api/v1alpha1/reasons.ts";
import type { ClockLimits } from "../../domain/clocks/limits.ts";
import { earliest } from "../../domain/clocks/deadline.ts";
import { jsonEqual } from "../../lib/json-equal.ts";
import { withForeignPolicies } from "../foreign-policies-mark.ts";
import { cleanUp, recordOf } from "../sandbox/decide.ts";
import { askedAboutAt } from "../sandbox/observe/pod-events.ts";
import { makeStart, type StartConfig } from "../sandbox/start/make-start.ts";
import { bundleEffects, isBundleDue } from "./decide/bundle.ts";
import { buildDeadlines } from "./decide/clocks.ts";
import { withConditions } from "./decide/conditions.ts";
import { isEnabled, isLookDue, lookAtMs } from "./decide/due.ts";
import { type Building, type JudgedBuild, withEnded } from "./decide/ending.ts";
import { decideRebuild, type RebuildDecision } from "./decide/rebuild.ts";
import { countedRequest, isRequested } from "./decide/request.ts";
import { superviseBuild } from "./decide/supervise.ts";
import type { ImageEffect } from "./effects.ts";
import type { ImageFacts, UnrecordedBuild } from "./facts.ts";
import { imageAsOwner } from "../sandbox/images/owner.ts";

export interface Decision {
  effects: readonly ImageEffect[];
  /** Milliseconds since 1970, now included; undefined: an event has to come. */
  wakeAtMs?: number | undefined;
}

export interface ImageRules {
  limits: ClockLimits;
  start: StartConfig;
}

/** When what stands in the way of a build is looked at again, in milliseconds: Secrets and accounts are not watched. */
const againMs = { refused: 60_000, full: 30_000 };

/**
 * Decides all that is to be done for an image now. The pod of a build is created first; then one write of the status names
 * it and takes the build's number, and only then the secrets are read that its bundle gets. Of two controllers that do so
 * at once the second meets the pod and a conflict.
 */
export function decide(facts: ImageFacts, now: Date, rules: ImageRules): Decision {
  const { image } = facts;
  if (image.metadata.deletionTimestamp !== undefined || facts.obstacle?.kind === "gone") return { effects: [] };
  const { status: judged, event } = judge(facts, now, rules);
  const status = withConditions(facts, judged, now);
  const write = isToWrite(image.status, status);
  const after: ImageFacts = write ? { ...facts, image: { ...image, status }, start: undefined } : facts;
  const due = dueBuild(after, now);
  const effects: ImageEffect[] = [
    ...(write ? [{ kind: "writeStatus" as const, status, event }] : []),
    ...cleanUp({ ...after, start: undefined, ready: undefined, obstacle: undefined }, status.sandbox, {
      isStartToCome: after.start !== undefined || due.kind !== "nothing",
    }),
    ...(after.start ? [] : [...startEffects(after, due, rules), ...bundleEffects(after, now, rules.start)]),
  ];
  return { effects, wakeAtMs: wakeAt(after, status, now, rules.limits) };
}

function judge(facts: ImageFacts, now: Date, { limits }: ImageRules): JudgedBuild {
  const { image, start } = facts;
  const status: PrebuiltImageStatus = { ...image.status, scope: image.status?.scope ?? scopeShown(facts) };
  if (isBuilding(status)) return superviseBuild(facts, status, now, limits);
  if (start) return { status: locked(facts, status, start, now) };
  return withoutDamaged(facts, status, now) ?? { status };
}

function scopeShown({ image: { spec } }: ImageFacts): string {
  const { repositoryRef, environmentRef } = spec;
  return environmentRef ? `Environment/${environmentRef.name}` : `Repository/${repositoryRef?.name ?? ""}`;
}

function isBuilding(status: PrebuiltImageStatus): status is Building {
  return status.build !== undefined && status.sandbox !== undefined;
}

/** The write that takes the number of the build. */
function locked(
  { image }: ImageFacts,
  status: PrebuiltImageStatus,
  start: UnrecordedBuild,
  now: Date,
): PrebuiltImageStatus {
  const { decision, inputs, timeoutSeconds, foreignPolicies = [] } = start;
  const at = { now, generation: image.metadata.generation };
  return {
    ...status,
    conditions: withForeignPolicies(status.conditions, foreignPolicies, at),
    ...(decision.reason === "RebuildRequested" && countedRequest(image)),
    // An image is an archive, also where the class saves workspaces of sessions as volumes.
    sandbox: recordOf({ ...start, volumeSnapshotClassName: undefined, tunnels: [] }),
    build: {
      number: start.attempt,
      step: decision.kind === "check" ? "Checking" : "Building",
      reason: decision.reason,
      ...inputs,
      timeoutSeconds,
    },
  };
}

/** An image that a session found damaged serves no more; the next build begins at once. */
function withoutDamaged({ damagedBuild }: ImageFacts, status: PrebuiltImageStatus, now: Date): JudgedBuild | undefined {
  const { image: built, ...rest } = status;
  if (!built || damagedBuild !== built.build) return undefined;
  const number = built.build;
  const ended = { number, result: "Failed", reason: reasons.imageDamaged, startTime: built.time } as const;
  const builds = withEnded(status.builds, { ...ended, endTime: now.toISOString() });
  const note = `Build ${number} is missing or damaged in the blob store, as a session found`;
  return { status: { ...rest, builds }, event: { type: "Warning", reason: reasons.imageDamaged, note } };
}

/** The build that is due by what was read. */
function dueBuild(facts: ImageFacts, now: Date): RebuildDecision {
  const { image, live } = facts;
  if (!live || !isLookDue(facts, now)) return { kind: "nothing" };
  return decideRebuild(
    {
      isEnabled: isEnabled(facts),
      isBuilding: image.status?.build !== undefined,
      isRequested: isRequested(image),
      image: image.status?.image,
      failures: image.status?.failures,
      inputs: live,
      secretsMAC: live.secretsMAC,
      repositories: live.inputs.repositories.map(({ name }) => name),
    },
    now,
  );
}

function startEffects(facts: ImageFacts, decision: RebuildDecision, { start }: ImageRules): ImageEffect[] {
  const { image, live, lacksAccount } = facts;
  const { namespace = "" } = image.metadata;
  if (lacksAccount) return [{ kind: "ensureAccount", namespace, ...lacksAccount }];
  if (decision.kind === "nothing" || !live || facts.obstacle) return [];
  const { lifetimeMs = 0 } = live.settings.copied;
  const number = (image.status?.sandbox?.attempt ?? 0) + 1;
  const { fingerprint, classImage } = live;
  const due = { decision, inputs: { fingerprint, classImage }, timeoutSeconds: lifetimeMs / 1_000 };
  return makeStart(start, imageAsOwner(image), number, live).flatMap((effect): ImageEffect[] => {
    if (effect.kind === "createBundle") return [];
    return [effect.kind === "createPod" ? { ...effect, due } : effect];
  });
}

/** What others act on, and what people are to see at once. */
function isToWrite(stored: PrebuiltImageStatus | undefined, next: PrebuiltImageStatus): boolean {
  return !jsonEqual(essence(stored ?? {}), essence(next)) || isStartToStore(stored?.sandbox, next.sandbox);
}

/** Its deadline is to be the same for the next process once a build lasts for a while; a check that finds nothing does not. */
function isStartToStore(stored: PrebuiltImageStatus["sandbox"], next: PrebuiltImageStatus["sandbox"]): boolean {
  if (next?.phase === undefined || next.containerStartTime === undefined) return false;
  return stored?.containerStartTime === undefined;
}

/** Conditions whose message is worth a write: it names settings, or a budget. */
const tellingTypes: ReadonlySet<string> = new Set([conditionTypes.settingsBounded, conditionTypes.eventsLeftOut]);

/** Without what rides on another write. */
function essence({ conditions = [], sandbox, build, ...rest }: PrebuiltImageStatus): object {
  const record = sandbox && { ...sandbox, containerStartTime: undefined, connectTime: undefined, phase: undefined };
  const current = build && { ...build, deadline: undefined, wanted: undefined };
  const said = conditions.map(({ type, status, reason, message }) => {
    return [type, status, reason, ...(tellingTypes.has(type) ? [message] : [])];
  });
  return { ...rest, record, current, said };
}

function wakeAt(
  facts: ImageFacts,
  { build, sandbox }: PrebuiltImageStatus,
  now: Date,
  limits: ClockLimits,
): number | undefined {
  const nowMs = now.getTime();
  const { obstacle, start } = facts;
  if (start) return nowMs;
  if (obstacle) return nowMs + (obstacle.kind === "full" ? againMs.full : againMs.refused);
  if (build && sandbox) {
    const isToRead = isBundleDue(facts) && !facts.live;
    if (isToRead) return nowMs;
    const pod = facts.pods.find(({ attempt }) => attempt === sandbox.attempt);
    const askedMs = askedAboutAt(pod, sandbox.createTime, now) ?? Infinity;
    return Math.min(askedMs, clockMs(facts, { build, sandbox }, limits));
  }
  const at = lookAtMs(facts);
  return at === undefined ? undefined : Math.max(at, nowMs);
}

/** When the next clock of a build passes. */
function clockMs(
  facts: ImageFacts,
  { build, sandbox }: Pick<Building, "build" | "sandbox">,
  limits: ClockLimits,
): number {
  const connected = facts.lease !== undefined;
  const held = connected ? undefined : facts.connectHeldUntilMs;
  const clocks = { record: sandbox, build, connected, connectHeldUntilMs: held, bootTimeoutMs: limits.bootTimeoutMs };
  const next = earliest(buildDeadlines(clocks))?.atMs ?? Infinity;
  return Math.min(next, held ?? Infinity);
}
