import { createHash } from "node:crypto";
import { imageMediaTypes, type PromptImage } from "../../api/v1alpha1/prompt-image.ts";

/** What tells one image of a session from the others. */
export type ImageIdentity = Pick<PromptImage, "digest" | "mediaType">;

const digestPrefix = "sha256:";

/** How images are named by what is in them. */
export function digestOf(content: Uint8Array): string {
  return digestPrefix + createHash("sha256").update(content).digest("hex");
}

/** One segment of paths and keys: 64 hexadecimal digits and what the content is, such as `.png`. */
export function imageName({ digest, mediaType }: ImageIdentity): string {
  return `${digest.slice(digestPrefix.length)}.${mediaType.slice("image/".length)}`;
}

/** The image that a name is of; undefined when it is none. */
export function parseImageName(name: string): ImageIdentity | undefined {
  const [, digits, type] = /^([0-9a-f]{64})\.([a-z]+)$/.exec(name) ?? [];
  const mediaType = imageMediaTypes.find((one) => one === `image/${type}`);
  return mediaType && digits !== undefined ? { digest: digestPrefix + digits, mediaType } : undefined;
}

/** How an image is called to people, by its name where it has one. */
export function imageTitle({ fileName, digest }: Pick<PromptImage, "digest" | "fileName">): string {
  return fileName === undefined ? digest : `${JSON.stringify(fileName)} (${digest})`;
}
