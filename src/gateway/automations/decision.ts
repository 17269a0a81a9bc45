import { reasons, Run } from "../../api/v1alpha1/index.ts";
import { causeOf, isSettled, isStarted, stateOf, succeededOf } from "../../domain/runs/run-state.ts";
import type { KubeClient } from "../../kube/client.ts";
import type { Clock } from "../../lib/clock.ts";
import { type ErrorCode } from "../http/errors.ts";
import { lookUntil } from "../http/look-until.ts";

/** What the controller decided about a Run: it alone decides, so it is asked rather than guessed. */
export type Decision = { kind: "started"; run: Run } | { kind: "open" } | Skipped;

export interface Skipped {
  kind: "skipped";
  code: ErrorCode;
  message: string;
}

/** Waits for the decision about a Run; *open* when there is none after `waitMs` or when nobody can be asked. */
export async function awaitDecision(
  { client, clock }: { client: Pick<KubeClient, "find">; clock: Clock },
  run: Run,
  { waitMs, signal }: { waitMs: number; signal: AbortSignal },
): Promise<Decision> {
  const { namespace, name = "" } = run.metadata;
  // The Run is stored, so a look that fails must not make the answer a failure.
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

function decisionOf(run: Run): Decision | undefined {
  if (isSettled(run) && stateOf(run) === reasons.skipped) {
    const code = codes[causeOf(run) ?? ""] ?? "RunSkipped";
    return { kind: "skipped", code, message: succeededOf(run)?.message ?? "" };
  }
  return isStarted(run) || isSettled(run) ? { kind: "started", run } : undefined;
}
