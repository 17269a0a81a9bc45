import { z } from "zod";
import { Conditions, ObservedGeneration } from "./conditions.ts";
import { ageColumn, conditionColumn, defineKind, type ObjectOf } from "./kind.ts";
import { Result, Usage } from "./outcome.ts";
import { settledStays } from "./run.ts";
import { LocalReference, notBlank, Time, withTransitionRule } from "./schema.ts";

const PromptShape = z
  .object({
    sessionRef: LocalReference.describe("sessionRef names the Session in the same namespace. It cannot change."),
    text: notBlank(z.string().min(1).max(64_000)).describe(
      "text is what the agent is told, 1 to 64,000 characters, not blank. It cannot change.",
    ),
    cancel: z
      .boolean()
      .optional()
      .describe(
        "cancel withdraws a prompt that waits and ends one that is processed. It cannot be taken back. Defaults to false.",
      ),
  })
  .describe("PromptSpec is one message to a session.");

const asked = withTransitionRule(PromptShape, {
  message: "sessionRef and text cannot change; create another Prompt",
  cel: "self.sessionRef == oldSelf.sessionRef && self.text == oldSelf.text",
});
export const PromptSpec = withTransitionRule(asked, {
  message: "cancel cannot be taken back; create another Prompt",
  cel: "!has(oldSelf.cancel) || !oldSelf.cancel || (has(self.cancel) && self.cancel)",
  fieldPath: ".cancel",
});
export type PromptSpec = z.infer<typeof PromptSpec>;

export const PromptStatus = z
  .object({
    conditions: Conditions,
    observedGeneration: ObservedGeneration,
    startTime: Time.optional().describe("startTime is when processing began."),
    completionTime: Time.optional().describe("completionTime is when the prompt ended."),
    result: Result.optional().describe("result is what the agent reported."),
    usage: Usage.optional().describe("usage is what the prompt used, as far as the agent said."),
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
  selectableFields: [".spec.sessionRef.name"],
  columns: [
    { name: "Session", type: "string", jsonPath: ".spec.sessionRef.name", description: "The session that is asked." },
    conditionColumn("Succeeded", "Succeeded", "status"),
    conditionColumn("Reason", "Succeeded", "reason"),
    conditionColumn("Message", "Succeeded", "message", 1),
    ageColumn,
  ],
});
export type Prompt = ObjectOf<typeof PromptSpec, typeof PromptStatus>;
