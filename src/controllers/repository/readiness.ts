import { conditionTypes, type Condition, reasons } from "../../api/v1alpha1/index.ts";
import { type Mark, type MarkedAt, withMarks, withoutConditions } from "../../domain/conditions.ts";
import { boundedMark } from "../bounded-settings.ts";
import type { KubeClient } from "../../kube/client.ts";
import type { Reconciler } from "../../kube/controller.ts";
import type { EventRecorder } from "../../kube/event-recorder.ts";
import { referenceTo } from "../../kube/object-reference.ts";
import { done, type Outcome, requeueAfter } from "../../kube/outcome.ts";
import type { Clock } from "../../lib/clock.ts";
import type { KubeObject, ObjectKey, Resource } from "../../lib/resource.ts";

interface ReadinessStatus {
  conditions?: Condition[] | undefined;
  observedGeneration?: number | undefined;
}

export type Judged = KubeObject & { status?: ReadinessStatus | undefined };

/** Whether an object can be used, and when to ask again for what nobody tells us of. */
export interface Readiness {
  problem: { reason: string; message: string } | undefined;
  requeueMs?: number | undefined;
  /** What else the status shows. */
  shown?: object | undefined;
  /** Settings that were above what bounds them, a sentence each. */
  bounded?: readonly string[] | undefined;
}

export const usable: Readiness = { problem: undefined };

export interface ReadinessDeps<T extends Judged> {
  client: Pick<KubeClient, "patchStatus">;
  clock: Clock;
  events: Pick<EventRecorder, "record">;
  resource: Resource<T>;
  find: (key: ObjectKey) => T | undefined;
  judge: (object: T, signal: AbortSignal) => Promise<Readiness>;
}

/** Keeps the Ready condition of a kind that does nothing but be referred to. */
export class ReadinessReconciler<T extends Judged> implements Reconciler {
  readonly #deps: ReadinessDeps<T>;

  constructor(deps: ReadinessDeps<T>) {
    this.#deps = deps;
  }

  async reconcile(key: ObjectKey, signal: AbortSignal): Promise<Outcome> {
    const object = this.#deps.find(key);
    if (!object || object.metadata.deletionTimestamp !== undefined) return done;
    const readiness = await this.#deps.judge(object, signal);
    await this.#report(object, readiness, signal);
    return readiness.requeueMs === undefined ? done : requeueAfter(readiness.requeueMs);
  }

  async #report(object: T, { problem, shown, bounded }: Readiness, signal: AbortSignal): Promise<void> {
    const { client, clock, events, resource } = this.#deps;
    const { generation } = object.metadata;
    const mark = readyMark(resource.kind, problem);
    const at = { now: clock.now(), generation };
    const conditions = withMarks(withBounds(object.status?.conditions, bounded, at), [mark], at);
    const status = { ...object.status, ...shown, observedGeneration: generation, conditions };
    // Each of these kinds has a status of this shape.
    const stored = await client.patchStatus(resource, object, status, { signal });
    const old = object.status?.conditions?.find(({ type }) => type === mark.type);
    if (stored === object || old?.reason === mark.reason || (!old && !problem)) return;
    const { reason, message } = mark;
    events.record({
      regarding: referenceTo(resource, stored),
      type: problem ? "Warning" : "Normal",
      reason,
      note: message,
    });
  }
}

/** The conditions with a warning exactly while something is bounded. */
function withBounds(conditions: readonly Condition[] | undefined, bounded: Readiness["bounded"], at: MarkedAt) {
  const warning = boundedMark(bounded ?? []);
  return warning
    ? withMarks(conditions, [warning], at)
    : withoutConditions(conditions, [conditionTypes.settingsBounded]);
}

function readyMark(kind: string, problem: Readiness["problem"]): Mark {
  const type = conditionTypes.ready;
  if (problem) return { type, status: "False", ...problem };
  return { type, status: "True", reason: reasons.ready, message: `The ${kind} can be used` };
}
