import { z } from "zod";
import { matching, text } from "./schema.ts";

export const imageLimits = {
  perPrompt: 6,
  /** Bytes of one image, 10 MiB. */
  bytes: 10_485_760,
  fileNameCharacters: 255,
} as const;

export const imageMediaTypes = ["image/png", "image/jpeg", "image/webp", "image/gif"] as const;
export type ImageMediaType = (typeof imageMediaTypes)[number];

export const PromptImage = z
  .object({
    digest: matching(
      text(71),
      /^sha256:[0-9a-f]{64}$/,
      "must be sha256: and 64 lower-case hexadecimal digits",
    ).describe("digest is the SHA-256 of the image's bytes, as the upload returns it: sha256: and 64 digits."),
    mediaType: z
      .enum(imageMediaTypes)
      .describe("mediaType is the image's format: image/png, image/jpeg, image/webp or image/gif."),
    fileName: z
      .string()
      .min(1)
      .max(imageLimits.fileNameCharacters)
      .optional()
      .describe("fileName is the image's name for people, at most 255 characters; it has no effect."),
  })
  .describe("PromptImage names an image that was uploaded to the prompt's session.");
export type PromptImage = z.infer<typeof PromptImage>;
