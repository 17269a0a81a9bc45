import { z } from "zod";

import { PromptImage } from "../../api/v1alpha1/prompt-image.ts";
import { mediaTypes } from "../../api/v1alpha1/prompt-media.ts";
import { Count, Instant, MaybeInstant, paging, Result } from "../http/answers.ts";

const AttachedFile = z.object({
  fileName: z.string().describe("For people; several files may have the same."),
  mediaType: z.enum(mediaTypes).describe("The format by the file's content."),
  bytes: Count.describe("The file's size."),
  path: z.string().describe("Where this API gives the file to who may get prompts, for a week at least."),
});

const PromptMedia = z
  .object({
    files: z.array(AttachedFile).describe("In the agent's order."),
    leftOut: Count.describe("Further files that the agent attached and that are not kept."),
  })
  .meta({ id: "PromptMedia" });

const PromptShape = {
  id: z.string().describe("The Prompt's name."),
  sessionId: z.string().describe("<namespace>.<name>"),
  status: z
    .enum(["created", "pending", "processing", "completed", "failed", "cancelled"])
    .describe("Created: the controller has not decided about it yet. Pending: accepted, and waiting in the queue."),
  failureReason: z.string().nullable().describe("Such as execution_timeout or queue_full; null unless failed."),
  message: z.string().nullable().describe("How it ended in words, for people; null until then."),
  origin: z
    .enum(["pull_request_feedback"])
    .nullable()
    .describe("What it was made from that no person wrote: feedback on a pull request; null for all others."),
  createdAt: Instant,
  startedAt: MaybeInstant,
  completedAt: MaybeInstant,
  result: Result,
  usage: z
    .object({
      inputTokens: Count.nullable(),
      outputTokens: Count.nullable(),
      costUsd: z.string().nullable().describe("US dollars, such as 0.25."),
    })
    .nullable()
    .describe("Usage that the agent reported."),
  media: PromptMedia.nullable().describe("Files that the agent attached to its answer; null where it attached none."),
};

export const PromptSummary = z.object(PromptShape).meta({ id: "PromptSummary" });
export type PromptSummary = z.output<typeof PromptSummary>;
const PromptDetail = z
  .object({ ...PromptShape, text: z.string(), images: z.array(PromptImage).describe("In the agent's order.") })
  .meta({ id: "Prompt" });

export const UploadedImage = z.object({
  image: PromptImage.pick({ digest: true, mediaType: true }).extend({ size: Count.describe("Bytes.") }),
});
export type UploadedImage = z.output<typeof UploadedImage>;

const SessionShape = {
  id: z.string().describe("<namespace>.<name>"),
  namespace: z.string(),
  name: z.string().describe("The title, else the object's name."),
  status: z
    .enum(["created", "active", "idle"])
    .describe(
      "Active: a prompt is unfinished. Created: no prompt is unfinished or has ended. Sessions of every status take prompts.",
    ),
  repositories: z.array(z.string()).describe("Names of Repositories."),
  environment: z.string().nullable().describe("Name of an Environment."),
  serviceAccountName: z.string().describe("ServiceAccount that it acts as."),
  sandbox: z
    .object({ isReady: z.boolean(), reason: z.string(), message: z.string() })
    .nullable()
    .describe("State of its sandbox, with the reason in lower case; null before the controller has set one."),
  currentPrompt: z
    .object({ id: z.string(), startedAt: Instant, deadlineAt: Instant })
    .nullable()
    .describe("The prompt that is processed."),
  unfinishedPrompts: Count.describe("Prompts that are processed or wait, 50 at most."),
  endedPrompts: Count,
  nextDeadline: z
    .object({ at: Instant, reason: z.string() })
    .nullable()
    .describe("The next time limit and the reason that it will give."),
  costUsd: z.string().nullable().describe("Cost in US dollars, such as 0.25; null while its agent has reported none."),
  tunnels: z
    .array(z.object({ port: z.int(), url: z.string().describe("For programs; a browser needs a local forward.") }))
    .describe("Ports of the sandbox that people reach; empty while it has none."),
  result: Result,
  createdAt: Instant,
};

export const SessionRights = z.object({
  readEvents: z.boolean(),
  listPrompts: z.boolean(),
  getPrompts: z.boolean(),
  createPrompt: z.boolean(),
  stop: z.boolean(),
  cancel: z.boolean(),
  openTunnels: z.boolean(),
  getPullRequest: z.boolean(),
  requestPullRequest: z.boolean(),
});

export const OneSessionShape = z.object(SessionShape).meta({ id: "Session" });
export type ShownSession = z.output<typeof OneSessionShape>;

export const SessionPage = z.object({ sessions: z.array(OneSessionShape), ...paging });
export const OneSession = z.object({ session: OneSessionShape });
export const PromptPage = z.object({ prompts: z.array(PromptSummary), ...paging });
export const OnePrompt = z.object({ prompt: PromptDetail });
export const Stopped = z.object({
  prompt: PromptSummary.nullable().describe("The prompt that was processed; null without one."),
});
export const Cancelled = z.object({
  prompts: z.array(PromptSummary).describe("The prompts that were unfinished, the processed one last."),
});
