import { type AttachedFile, mediaTypes } from "../../api/v1alpha1/prompt-media.ts";

/** Identifies a file within its prompt. */
export type MediaIdentity = Pick<AttachedFile, "digest" | "mediaType">;

const digestPrefix = "sha256:";

/** What names of files of a type end with, such as `png`. */
export function endingOf(mediaType: AttachedFile["mediaType"]): string {
  return mediaType.slice(mediaType.indexOf("/") + 1);
}

/** One segment of paths and keys: 64 hexadecimal digits and what the content is, such as `.mp4`. */
export function mediaName({ digest, mediaType }: MediaIdentity): string {
  return `${digest.slice(digestPrefix.length)}.${endingOf(mediaType)}`;
}

/** Reads a name; undefined where it is not the name of such a file. */
export function parseMediaName(name: string): MediaIdentity | undefined {
  const [, digits, ending] = /^([0-9a-f]{64})\.([a-z0-9]+)$/.exec(name) ?? [];
  const mediaType = mediaTypes.find((one) => endingOf(one) === ending);
  return mediaType && digits !== undefined ? { digest: digestPrefix + digits, mediaType } : undefined;
}
