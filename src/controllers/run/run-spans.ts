import { annotations, conditionTypes } from "../../api/v1alpha1/names.ts";
import type { Prompt } from "../../api/v1alpha1/prompt.ts";
import { reasons } from "../../api/v1alpha1/reasons.ts";
import type { Run } from "../../api/v1alpha1/run.ts";
import type { Session } from "../../api/v1alpha1/session.ts";
import { findCondition } from "../../domain/conditions.ts";
import { acceptedAt, isCompleted, stateOf } from "../../domain/runs/run-state.ts";
import type { Span } from "../../domain/tracing/span.ts";
import { parseTraceparent, spanIdOf, type TraceContext, traceIdOf } from "../../domain/tracing/trace-context.ts";

/** A session of a Run that has ended, and its first prompt. */
export interface TracedSession {
  session: Session;
  prompt: Prompt | undefined;
}

/** The trace that a Run's annotation names; without one a trace begins with the Run, sampled as `isSampled` decides. */
export function runContext(
  { metadata }: Run,
  isSampled: (traceId: string) => boolean,
): { context: TraceContext; parentSpanId: string | undefined } {
  const uid = metadata.uid ?? "";
  const parent = parseTraceparent(metadata.annotations?.[annotations.traceparent]);
  const traceId = parent?.traceId ?? traceIdOf(uid);
  const sampled = parent?.sampled ?? isSampled(traceId);
  return { context: { traceId, spanId: spanIdOf(`run ${uid}`), sampled }, parentSpanId: parent?.spanId };
}

/** The spans of a Run that has ended; every controller makes the same ones from the stored objects. */
export function runSpans(
  run: Run,
  { context, parentSpanId }: ReturnType<typeof runContext>,
  sessions: readonly TracedSession[],
): Span[] {
  const { metadata, spec, status } = run;
  const accepted = acceptedAt(run);
  const ended = status?.completionTime ?? accepted;
  const reason = stateOf(run);
  const isFailure = !isCompleted(run) && reason !== reasons.skipped;
  const attributes = { "k8s.namespace.name": metadata.namespace ?? "", "runwright.run": metadata.name ?? "" };
  const root = {
    name: "run",
    of: metadata.uid,
    from: accepted,
    to: ended,
    failure: isFailure ? reason : undefined,
    attributes: {
      "runwright.automation": spec.automationRef.name,
      "runwright.trigger": spec.trigger.type,
      "runwright.reason": reason,
    },
  };
  const below = { context, parentSpanId: context.spanId, attributes };
  return [
    { ...spanOf(root, { context, parentSpanId, attributes }), kind: "consumer" },
    ...(status?.startTime
      ? [spanOf({ name: "decide", of: metadata.uid, from: accepted, to: status.startTime }, below)]
      : []),
    ...sessions.flatMap((one) => sessionSpans(one, ended, below)),
  ];
}

interface Part {
  name: string;
  /** UID, with the number of the attempt where there may be several. */
  of: string | undefined;
  from: string;
  to: string;
  attributes?: Span["attributes"];
  failure?: string | undefined;
}

function spanOf(
  { name, of = "", from, to, attributes, failure }: Part,
  above: Pick<Span, "context" | "parentSpanId" | "attributes">,
): Span {
  const start = new Date(from);
  return {
    name,
    kind: "internal",
    context: { ...above.context, spanId: spanIdOf(`${name} ${of}`) },
    parentSpanId: above.parentSpanId,
    start,
    // The two instants may come from clocks of different processes.
    end: new Date(Math.max(start.getTime(), Date.parse(to))),
    attributes: { ...above.attributes, ...attributes },
    failure,
  };
}

function sessionSpans(
  { session, prompt }: TracedSession,
  ended: string,
  run: Pick<Span, "context" | "parentSpanId" | "attributes">,
): Span[] {
  const { name = "", uid, creationTimestamp: from = ended } = session.metadata;
  const to = prompt?.status?.completionTime ?? ended;
  const whole = spanOf({ name: "session", of: uid, from, to, attributes: { "runwright.session": name } }, run);
  const parts = [bootPart(session), prompt && promptPart(prompt, to)].filter((part) => part !== undefined);
  return [whole, ...parts.map((part) => spanOf(part, { ...whole, parentSpanId: whole.context.spanId }))];
}

/** The start of the session's last sandbox, once it was ready. */
function bootPart({ metadata, status }: Session): Part | undefined {
  const { attempt, createTime, readyTime } = status?.sandbox ?? {};
  if (createTime === undefined || readyTime === undefined) return undefined;
  return { name: "boot sandbox", of: `${metadata.uid ?? ""} ${String(attempt)}`, from: createTime, to: readyTime };
}

/** The work on a prompt, once it began. */
function promptPart({ metadata, status }: Prompt, to: string): Part | undefined {
  const from = status?.startTime;
  if (from === undefined) return undefined;
  const verdict = findCondition(status?.conditions, conditionTypes.succeeded);
  const attributes = { "runwright.reason": verdict?.reason ?? "" };
  const failure = verdict?.status === "False" ? verdict.reason : undefined;
  return { name: "prompt", of: metadata.uid, from, to, attributes, failure };
}
