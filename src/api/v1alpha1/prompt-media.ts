import { z } from "zod";
import { imageMediaTypes, PromptImage } from "./prompt-image.ts";
import { atomicOf, integer, text } from "./schema.ts";

/** Limits of the files that an agent attaches to the answer of one prompt. */
export const mediaLimits = {
  perPrompt: 5,
  /** Bytes of one file, 10 MiB. */
  bytes: 10_485_760,
  /** Bytes of all files of a prompt, 25 MiB. */
  allBytes: 26_214_400,
  fileNameCharacters: 100,
  /** Files of a prompt that are counted, those that are left out among them. */
  counted: 1_000,
} as const;

export const mediaTypes = [...imageMediaTypes, "video/mp4"] as const;
export type MediaType = (typeof mediaTypes)[number];

const AttachedFile = z
  .object({
    digest: PromptImage.shape.digest.describe("digest is the SHA-256 of the file's bytes: sha256: and 64 digits."),
    mediaType: z
      .enum(mediaTypes)
      .describe(
        "mediaType is the file's format by its content: image/png, image/jpeg, image/webp, image/gif or video/mp4.",
      ),
    fileName: text(mediaLimits.fileNameCharacters)
      .min(1)
      .describe("fileName is the file's name for people, at most 100 characters; its ending follows from mediaType."),
    bytes: integer(0, mediaLimits.bytes).describe("bytes is the file's size, at most 10 MiB."),
  })
  .describe("AttachedFile names a file in the blob store, below the prompt's session.");
export type AttachedFile = z.infer<typeof AttachedFile>;

export const PromptMedia = z
  .object({
    files: atomicOf(z.array(AttachedFile).max(mediaLimits.perPrompt)).describe(
      "files are sent with the answer, in this order, at most 5 and 25 MiB together.",
    ),
    leftOut: integer(0, mediaLimits.counted).describe(
      "leftOut is how many further files the agent attached that are not sent: beyond the first 5, too large, of another format, or not stored.",
    ),
  })
  .describe("PromptMedia is what the agent attached to its answer.");
export type PromptMedia = z.infer<typeof PromptMedia>;
