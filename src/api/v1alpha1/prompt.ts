import { Buffer } from "node:buffer";

import { z } from "zod";
import { observed } from "./conditions.ts";
import { ageColumn, column, conditionColumn, defineKind, type ObjectOf } from "./kind.ts";
import { Result, Usage } from "./outcome.ts";
import { imageLimits, PromptImage } from "./prompt-image.ts";
import { PromptMedia } from "./prompt-media.ts";
import { settledStays } from "./run.ts";
import { atomicOf, LocalReference, type Rule, text, Time, withRules, withTransitionRule } from "./schema.ts";

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
    text: text(200_000).describe(
      "text is the message to the agent, at most 64,000 characters, with an origin 200,000 bytes; it may be blank only with images. It cannot change.",
    ),
    origin: z
      .enum(["PullRequestFeedback"])
      .optional()
      .describe(
        "origin is what a prompt was made from that no person wrote: feedback on a pull request. The connector alone sets it. It cannot change.",
      ),
    cancel: z
      .boolean()
      .optional()
      .describe(
        "cancel ends the prompt, whether it waits or is being processed. It cannot be undone. Defaults to false.",
      ),
  })
  .describe("PromptSpec is one message to a session.");

const Sized = withRules(PromptShape, [
  saysSomething,
  {
    message: "may not be more than 64000 characters",
    cel: "has(self.origin) || size(self.text) <= 64000",
    check: ({ origin, text }) => origin !== undefined || Array.from(text).length <= 64_000,
    fieldPath: ".text",
  },
  {
    message: "may not be more than 200000 bytes",
    cel: "!has(self.origin) || size(bytes(self.text)) <= 200000",
    check: ({ origin, text }) => origin === undefined || Buffer.byteLength(text) <= 200_000,
    fieldPath: ".text",
  },
]);

const asked = withTransitionRule(Sized, {
  message: "sessionRef, text, images and origin cannot change; create another Prompt",
  cel:
    "self.sessionRef == oldSelf.sessionRef && self.text == oldSelf.text && " +
    "has(self.origin) == has(oldSelf.origin) && (!has(self.origin) || self.origin == oldSelf.origin) && " +
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
    pullRequest: z
      .object({
        title: text(200).min(1).describe("title is what the agent wants as the title, at most 200 characters."),
        body: text(4_096).describe("body is what the agent wants as the text, at most 4,096 characters; may be empty."),
      })
      .optional()
      .describe(
        "pullRequest is what the agent asked for: a pull request of the branch in result, with this title and text. It is not verified; an Integration decides whether one is opened.",
      ),
    media: PromptMedia.optional().describe(
      "media is what the agent attached to its answer, where the operator lets it. It is not verified but for its format.",
    ),
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
