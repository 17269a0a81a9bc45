import type { Automation, AutomationSpec, Prompt, Result, Run, Session } from "../../api/v1alpha1/index.ts";
import { findCondition } from "../../domain/conditions.ts";
import { firstPromptName } from "../../domain/prompts/first-prompt-name.ts";
import type { RunDecision, RunEffect } from "./effects.ts";
import type { Child, FollowFacts, StartFacts } from "./facts.ts";
import { makeSession } from "./resources.ts";

/** The instant at which tests of a Run decide. */
export const now = new Date("2026-05-04T10:00:00.000Z");
/** When their objects were made. */
export const created = "2026-05-04T09:59:59.000Z";

export function anAutomation(spec: Partial<AutomationSpec> = {}, more: Partial<Automation> = {}): Automation {
  return {
    metadata: { name: "triage", namespace: "demo", uid: "automation-uid", generation: 3 },
    spec: {
      instructions: "Fix it.",
      suspend: false,
      trigger: { type: "Webhook" },
      targets: [],
      session: {},
      serviceAccountName: "runner",
      history: {
        successfulLimit: 1,
        failedLimit: 1,
        skippedLimit: 1,
        ttlSeconds: 60,
        idempotencySeconds: 60,
        idempotencyKeys: 1,
      },
      ...spec,
    },
    ...more,
  };
}

export function aRun(trigger: Partial<Run["spec"]["trigger"]> = {}, metadata: Run["metadata"] = {}): Run {
  return {
    metadata: {
      name: "run",
      namespace: "demo",
      uid: "run-uid",
      generation: 1,
      creationTimestamp: created,
      labels: { "runwright.dev/automation-uid": "automation-uid" },
      ...metadata,
    },
    spec: {
      automationRef: { name: "triage", uid: "automation-uid" },
      trigger: { type: "Webhook", time: created, payload: "{}", ...trigger },
    },
  };
}

export function startFacts(facts: Partial<StartFacts> = {}): StartFacts {
  const run = facts.run ?? aRun();
  return {
    run,
    automation: anAutomation(),
    runs: [run],
    otherActive: undefined,
    leftSessions: [],
    targetSettings: [],
    pendingLimit: undefined,
    ...facts,
  };
}

/** A Run that was started for generation 3 of its automation, with a budget of a minute. */
export function startedRun(sessions: readonly string[] = ["run-0"]): Run {
  return {
    ...aRun(),
    status: {
      startTime: now.toISOString(),
      automationGeneration: 3,
      executionBudgetMs: 60_000,
      sessions: sessions.map((name) => ({ name })),
    },
  };
}

export function aSession(name: string, status: Session["status"] = {}): Session {
  return { ...makeSession(aRun(), anAutomation(), 0), metadata: { name, uid: `${name}-uid` }, status };
}

/** RFC 3339, so many milliseconds after {@link now}. */
export function atMs(ms: number): string {
  return new Date(now.getTime() + ms).toISOString();
}

/** A sandbox whose pod was created so many milliseconds after {@link now}. */
export function aSandbox(ms: number): NonNullable<NonNullable<Session["status"]>["sandbox"]> {
  return { attempt: 1, podName: "run-0-1", podUID: "pod-uid", createTime: atMs(ms) };
}

/** The status of a session that waits for a place since so many milliseconds after {@link now}. */
export function queued(ms: number): NonNullable<Session["status"]> {
  const mark = { status: "False" as const, reason: "Queued", message: "no place left", lastTransitionTime: atMs(ms) };
  return { conditions: [{ type: "Ready", ...mark }] };
}

/** What a first prompt came to. */
export interface PromptVerdict {
  status: "True" | "False";
  reason: string;
}

export const completed: PromptVerdict = { status: "True", reason: "Completed" };
export const cancelled: PromptVerdict = { status: "False", reason: "Cancelled" };
export const failed: PromptVerdict = { status: "False", reason: "BootTimeout" };

/** A session whose first prompt has this verdict, or none yet. */
export function aChild(name: string, verdict?: PromptVerdict, result?: Result): Child {
  const prompt: Prompt = {
    metadata: { name: firstPromptName(name), generation: 1 },
    spec: { sessionRef: { name }, text: "" },
    status: {
      result,
      conditions: verdict && [
        { type: "Succeeded", ...verdict, message: `${name} ${verdict.reason}`, lastTransitionTime: created },
      ],
    },
  };
  return { name, session: aSession(name), prompt };
}

export function followFacts(children: Child[], facts: Partial<FollowFacts> = {}): FollowFacts {
  const run = startedRun(children.map(({ name }) => name));
  return { run, automation: anAutomation(), runs: [run], children, ...facts };
}

export function kinds({ effects }: RunDecision): string[] {
  return effects.map(({ kind }) => kind);
}

/** The one effect of this kind; throws when there is none or more than one. */
export function only<Kind extends RunEffect["kind"]>(
  decision: RunDecision,
  kind: Kind,
): Extract<RunEffect, { kind: Kind }> {
  const found = decision.effects.filter((effect): effect is Extract<RunEffect, { kind: Kind }> => effect.kind === kind);
  const [effect] = found;
  if (!effect || found.length > 1)
    throw new Error(`${found.length} effects ${kind} among ${kinds(decision).join(", ")}`);
  return effect;
}

/** Status and reason of the Run's verdict, and the exact cause beside them. */
export function verdictOf(decision: RunDecision): (string | undefined)[] {
  const { conditions } = only(decision, "writeRun").status;
  const [succeeded, stalled] = ["Succeeded", "Stalled"].map((type) => findCondition(conditions, type));
  return [succeeded?.status, succeeded?.reason, stalled?.reason];
}
