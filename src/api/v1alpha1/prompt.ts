import { z } from "zod";
import { Conditions, ObservedGeneration } from "./conditions.ts";
import { ageColumn, conditionColumn, defineKind, type ObjectOf } from "./kind.ts";
import { Result } from "./outcome.ts";
import { settledStays } from "./run.ts";
import { LocalReference, Time, withTransitionRule } from "./schema.ts";

export const PromptSpec = withTransitionRule(
  z
    .object({
      sessionRef: LocalReference.describe("sessionRef names the Session in the same namespace."),
      text: z.string().min(1).max(64_000).describe("text is what the agent is told, at most 64,000 characters."),
    })
    .describe("PromptSpec is one message to a session; it cannot change."),
  { message: "spec cannot change; create another Prompt", cel: "self == oldSelf" },
);
export type PromptSpec = z.infer<typeof PromptSpec>;

export const PromptStatus = z
  .object({
    conditions: Conditions,
    observedGeneration: ObservedGeneration,
    startTime: Time.optional().describe("startTime is when processing began."),
    completionTime: Time.optional().describe("completionTime is when the prompt ended."),
    result: Result.optional().describe("result is what the agent reported."),
    lateResult: Result.optional().describe(
      "lateResult is a result that came after the prompt had ended; it changes no verdict.",
    ),
  })
  .describe("PromptStatus is what was observed.");
export type PromptStatus = z.infer<typeof PromptStatus>;

const SettlingPromptStatus = withTransitionRule(PromptStatus, settledStays);

export const Prompt = defineKind({
  kind: "Prompt",
  plural: "prompts",
  shortNames: ["rwprompt"],
  namespaced: true,
  description: "Prompt is one message to a Session; a session's prompts are processed in order, one at a time.",
  spec: PromptSpec,
  status: SettlingPromptStatus,
  columns: [
    { name: "Session", type: "string", jsonPath: ".spec.sessionRef.name", description: "The session that is asked." },
    conditionColumn("Succeeded", "Succeeded", "status"),
    conditionColumn("Reason", "Succeeded", "reason"),
    conditionColumn("Message", "Succeeded", "message", 1),
    ageColumn,
  ],
});
export type Prompt = ObjectOf<typeof PromptSpec, typeof PromptStatus>;
