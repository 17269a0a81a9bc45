import { webcrypto } from "node:crypto";
import { imageMediaTypes, type PromptImage } from "../../api/v1alpha1/prompt-image.ts";

/** Identifies an image within its session. */
export type ImageIdentity = Pick<PromptImage, "digest" | "mediaType">;

const digestPrefix = "sha256:";

/** Names of images, by their content. Computed beside the event loop, which an image would hold up for milliseconds. */
export function digestOf(content: Uint8Array): Promise<string> {
  return webcrypto.subtle.digest("SHA-256", content).then((bytes) => digestPrefix + Buffer.from(bytes).toString("hex"));
}

/** One segment of paths and keys: 64 hexadecimal digits and what the content is, such as `.png`. */
export function imageName({ digest, mediaType }: ImageIdentity): string {
  return `${digest.slice(digestPrefix.length)}.${mediaType.slice("image/".length)}`;
}

/** Reads a name; undefined where it is not the name of an image. */
export function parseImageName(name: string): ImageIdentity | undefined {
  const [, digits, type] = /^([0-9a-f]{64})\.([a-z]+)$/.exec(name) ?? [];
  const mediaType = imageMediaTypes.find((one) => one === `image/${type}`);
  return mediaType && digits !== undefined ? { digest: digestPrefix + digits, mediaType } : undefined;
}

/** The name of an image for people: its own, where it has one. */
export function imageTitle({ fileName, digest }: Pick<PromptImage, "digest" | "fileName">): string {
  return fileName === undefined ? digest : `${JSON.stringify(fileName)} (${digest})`;
}
