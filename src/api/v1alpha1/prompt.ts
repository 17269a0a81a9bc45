import { z } from "zod";
import { observed } from "./conditions.ts";
import { ageColumn, column, conditionColumn, defineKind, type ObjectOf } from "./kind.ts";
import { Result, Usage } from "./outcome.ts";
import { imageLimits, PromptImage } from "./prompt-image.ts";
import { settledStays } from "./run.ts";
import { atomicOf, LocalReference, type Rule, text, Time, withRule, withTransitionRule } from "./schema.ts";

/** Content of a prompt, shared by the Prompt kind and the REST API. */
export const promptContent = {
  text: text(64_000).describe(
    "text is the message to the agent, at most 64,000 characters; it may be blank only with images. It cannot change.",
  ),
  images: atomicOf(z.array(PromptImage).max(imageLimits.perPrompt))
    .optional()
    .describe("images are given to the agent after the text, in this order, at most 6. They cannot change."),
};

interface PromptContent {
  text: string;
  images?: readonly PromptImage[] | undefined;
}

/** White space beyond ASCII counts as text, as in RE2. */
export const saysSomething: Rule<PromptContent> = {
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
        "cancel ends the prompt, whether it waits or is being processed. It cannot be undone. Defaults to false.",
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
  message: "cancel cannot be undone; create another Prompt",
  cel: "!has(oldSelf.cancel) || !oldSelf.cancel || (has(self.cancel) && self.cancel)",
  fieldPath: ".cancel",
});
export type PromptSpec = z.infer<typeof PromptSpec>;

export const PromptStatus = z
  .object({
    ...observed,
    startTime: Time.optional().describe("startTime is when processing began."),
    completionTime: Time.optional().describe("completionTime is when the prompt ended."),
    result: Result.optional().describe("result is what the agent reported."),
    usage: Usage.optional().describe("usage is the prompt's tokens and cost, as far as the agent reported them."),
    lateResult: Result.optional().describe(
      "lateResult is a result that came after the prompt had ended; the Succeeded condition stays.",
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
    column("Session", ".spec.sessionRef.name", "The session that the prompt is for."),
    conditionColumn("Succeeded", "Succeeded", "status"),
    conditionColumn("Reason", "Succeeded", "reason"),
    ageColumn,
    conditionColumn("Message", "Succeeded", "message"),
  ],
});
export type Prompt = ObjectOf<typeof PromptSpec, typeof PromptStatus>;
