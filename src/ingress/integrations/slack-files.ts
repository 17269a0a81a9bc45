import { z } from "zod";

import { imageLimits, imageMediaTypes, type SlackEvent, type SlackFile } from "../../api/v1alpha1/index.ts";
import { firstCharacters } from "../../lib/characters.ts";

/** Files of a message, as Slack lists them; what a person deleted or may not see has no address. */
export const Files = z.array(
  z.object({
    mimetype: z.string().nullish(),
    size: z.int().min(0).nullish().catch(undefined),
    name: z.string().nullish(),
    url_private_download: z.string().nullish(),
    url_private: z.string().nullish(),
  }),
);
export type SentFile = z.output<typeof Files>[number];

const mostCounted = 1_000;
const longestUrl = 1_000;

/** The first 6 images among files, by the type that Slack declares, and how many more there are. */
export function imagesOf(files: readonly SentFile[]): Pick<SlackEvent, "files" | "moreFiles"> {
  const images = files.flatMap(imageOf);
  const kept = images.slice(0, imageLimits.perPrompt);
  const more = images.length - kept.length;
  return {
    ...(kept.length > 0 && { files: kept }),
    ...(more > 0 && { moreFiles: Math.min(more, mostCounted) }),
  };
}

function imageOf(file: SentFile): SlackFile[] {
  const mediaType = imageMediaTypes.find((one) => one === file.mimetype);
  if (!mediaType) return [];
  const url = file.url_private_download ?? file.url_private ?? "";
  const { name, size } = file;
  return [
    {
      // One that is too long is none of Slack's; the connector says that it could not be fetched.
      url: url.length > longestUrl ? "" : url,
      mediaType,
      ...(typeof size === "number" && { size }),
      ...(name && { name: firstCharacters(name, imageLimits.fileNameCharacters) }),
    },
  ];
}
