import { z } from "zod";

/** A sandbox's lifetime: whole seconds, at most 7 days. */
export const SandboxTimeoutMs = z.int().min(1_000).max(604_800_000).multipleOf(1_000);

/** Settings that a scope may set under the product's own names; what is left out falls to the next scope. */
export const Settings = z
  .object({
    sandboxTimeoutMs: SandboxTimeoutMs.optional().describe(
      "sandboxTimeoutMs is the sandbox's lifetime and the execution budget of a prompt in milliseconds: whole seconds, 1,000 to 604,800,000 (7 days). Unset: the SandboxClass's lifetime, and the operator's EXECUTION_TIMEOUT_MS for prompts.",
    ),
  })
  .describe("Settings are the product's settings of one scope.");
export type Settings = z.infer<typeof Settings>;
