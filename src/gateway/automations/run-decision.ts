import { reasons, Run } from "../../api/v1alpha1/index.ts";
import { causeOf, isSettled, isStarted, stateOf, succeededOf } from "../../domain/runs/run-state.ts";
import type { KubeClient } from "../../kube/client.ts";
import type { Clock } from "../../lib/clock.ts";
import type { ErrorCode } from "../http/errors.ts";
import { lookUntil } from "../http/look-until.ts";

/** What the controller decided about a Run; `open` while it has not. */
export type RunDecision = { kind: "started"; run: Run } | { kind: "open" } | Skipped;

export interface Skipped {
  kind: "skipped";
  code: ErrorCode;
  message: string;
}

/** Waits for the decision about a Run; `open` after `waitMs`, or while the API server does not answer. */
export async function awaitDecision(
  { client, clock }: { client: Pick<KubeClient, "find">; clock: Clock },
  run: Run,
  { waitMs, signal }: { waitMs: number; signal: AbortSignal },
): Promise<RunDecision> {
  const { namespace, name = "" } = run.metadata;
  // The Run is stored: a read that fails must not fail the request.
  const decision = await lookUntil(clock, { waitMs, signal }, async () => {
    const now = await client.find<Run>(Run, { namespace, name }, { signal });
    return now && decisionOf(now);
  });
  return decision ?? { kind: "open" };
}

const codes: Readonly<Record<string, ErrorCode>> = {
  [reasons.automationPaused]: "AutomationPaused",
  [reasons.concurrentRunActive]: "ConcurrentRunActive",
};

function decisionOf(run: Run): RunDecision | undefined {
  if (isSettled(run) && stateOf(run) === reasons.skipped) {
    const code = codes[causeOf(run) ?? ""] ?? "RunSkipped";
    return { kind: "skipped", code, message: succeededOf(run)?.message ?? "" };
  }
  return isStarted(run) || isSettled(run) ? { kind: "started", run } : undefined;
}
