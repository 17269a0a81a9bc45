import { z } from "zod";
import { Conditions, ObservedGeneration } from "./conditions.ts";
import { ageColumn, conditionColumn, defineKind, type ObjectOf } from "./kind.ts";
import { Result, Usage } from "./outcome.ts";
import { imageLimits, PromptImage } from "./prompt-image.ts";
import { settledStays } from "./run.ts";
import { listType, LocalReference, type Rule, Time, withRule, withTransitionRule } from "./schema.ts";

/** What the sender of a prompt says; who sends over HTTP and who applies a Prompt are judged alike. */
export const promptContent = {
  text: z
    .string()
    .max(64_000)
    .describe(
      "text is what the agent is told, at most 64,000 characters; blank only where there are images. It cannot change.",
    ),
  images: z
    .array(PromptImage)
    .max(imageLimits.perPrompt)
    .optional()
    .describe("images are shown to the agent after the text in this order, at most 6. They cannot change.")
    .meta(listType({ type: "atomic" })),
};

/** Text and images as they are when they were parsed. */
interface Said {
  text: string;
  images?: readonly PromptImage[] | undefined;
}

/** Spaces beyond ASCII count as text, as they do for RE2. */
export const saysSomething: Rule<Said> = {
  message: "must not be blank, unless there are images",
  cel: "self.text.matches(r'[^ \\t\\n\\v\\f\\r]') || (has(self.images) && size(self.images) > 0)",
  check: ({ text, images = [] }) => /[^ \t\n\v\f\r]/.test(text) || images.length > 0,
  fieldPath: ".text",
};

const PromptShape = z
  .object({
    sessionRef: LocalReference.describe("sessionRef names the Session in the same namespace. It cannot change."),
    ...promptContent,
    cancel: z
      .boolean()
      .optional()
      .describe(
        "cancel withdraws a prompt that waits and ends one that is processed. It cannot be taken back. Defaults to false.",
      ),
  })
  .describe("PromptSpec is one message to a session.");

const asked = withTransitionRule(withRule(PromptShape, saysSomething), {
  message: "sessionRef, text and images cannot change; create another Prompt",
  cel:
    "self.sessionRef == oldSelf.sessionRef && self.text == oldSelf.text && " +
    "has(self.images) == has(oldSelf.images) && (!has(self.images) || self.images == oldSelf.images)",
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
