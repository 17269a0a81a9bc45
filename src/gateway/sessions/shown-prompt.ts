import { type Prompt, reasons, type Session } from "../../api/v1alpha1/index.ts";
import { downloadPath } from "../../domain/media/download-path.ts";
import { promptStateOf, succeededOf } from "../../domain/prompts/prompt-state.ts";
import { instantOf, knownInstant, reasonWord, shownResult } from "../http/product-words.ts";
import type { Position } from "../http/page.ts";
import { namespacedNameText } from "../../lib/namespaced-name.ts";
import type { PromptSummary } from "./answers.ts";

/** A Prompt in the REST API, without its text. */
export function shownPrompt(prompt: Prompt, session: Session | undefined): PromptSummary {
  const { metadata, spec, status = {} } = prompt;
  return {
    id: metadata.name ?? "",
    sessionId: namespacedNameText({ namespace: metadata.namespace ?? "", name: spec.sessionRef.name }),
    ...shownVerdict(prompt, session),
    origin: spec.origin === undefined ? null : originOf[spec.origin],
    createdAt: knownInstant(metadata.creationTimestamp),
    startedAt: instantOf(status.startTime),
    completedAt: instantOf(status.completionTime),
    result: shownResult(status.result),
    usage: shownUsage(status.usage),
    media: shownMedia(prompt),
  };
}

const originOf = { PullRequestFeedback: "pull_request_feedback" } as const;
const wordOf = { created: "created", waiting: "pending", processing: "processing" } as const;

function shownVerdict(
  prompt: Prompt,
  session: Session | undefined,
): Pick<PromptSummary, "status" | "failureReason" | "message"> {
  const state = promptStateOf(prompt, session);
  if (state !== "ended") return { status: wordOf[state], failureReason: null, message: null };
  const { status, reason = "", message = null } = succeededOf(prompt) ?? {};
  if (status === "True") return { status: "completed", failureReason: null, message };
  if (reason === reasons.cancelled) return { status: "cancelled", failureReason: null, message };
  return { status: "failed", failureReason: reasonWord(reason), message };
}

function shownUsage(usage: NonNullable<Prompt["status"]>["usage"]): PromptSummary["usage"] {
  if (!usage) return null;
  const { inputTokens = null, outputTokens = null, costUsd = null } = usage;
  return { inputTokens, outputTokens, costUsd };
}

function shownMedia(prompt: Prompt): PromptSummary["media"] {
  const { media } = prompt.status ?? {};
  if (!media) return null;
  const files = media.files.map((file) => {
    const { fileName, mediaType, bytes } = file;
    return { fileName, mediaType, bytes, path: downloadPath(prompt, file) };
  });
  return { files, leftOut: media.leftOut };
}

/** Sort key: newest first. */
export function positionOfPrompt({ metadata }: Prompt): Position {
  const { creationTimestamp, name = "" } = metadata;
  return [knownInstant(creationTimestamp), name];
}
