import type { PromptReference } from "../../api/runtime/messages.ts";
import { reasons } from "../../api/v1alpha1/reasons.ts";
import type { PolicyRefusal } from "../../kube/policy-refusal.ts";
import type { Attempt } from "../attempts/attempt.ts";
import type { AttemptLease } from "../attempts/leases.ts";
import type { Prompts } from "./prompts.ts";

interface Places {
  attempt: Attempt;
  lease: Pick<AttemptLease, "markBootFailed"> | undefined;
  prompts: Pick<Prompts, "settle">;
}

/** Milliseconds for which a report is tried before that: for moments of an upgrade policies are of another version than the gateway. */
export const refusedMs = 60_000;

/** Fails the prompt that a refused report was of, or without one the boot. Rejects where that is not stored either. */
export async function failRefused(
  { policy, message: said }: PolicyRefusal,
  prompt: PromptReference | undefined,
  { attempt, lease, prompts }: Places,
): Promise<void> {
  const message = `the installed policies are of another version: ${policy} refused what the gateway had to write: ${said}`;
  const reason = reasons.policyMismatch;
  if (prompt) await prompts.settle(attempt, { prompt, verdict: "failed", message }, reason);
  else await lease?.markBootFailed({ phase: "agent", reason, message });
}
