import { z } from "zod";

import { type Forwarded, forwardedLimits } from "../../api/v1alpha1/index.ts";
import { SlackId, SlackTime, unescaped } from "../../domain/integrations/slack-message.ts";
import { cutCharacters, firstCharacters } from "../../lib/characters.ts";
import { Files, type SentFile } from "./slack-files.ts";

/** Attachments of a message: forwarded messages, and previews of links. */
export const Attachments = z.array(
  z.object({
    is_share: z.boolean().nullish(),
    text: z.string().nullish(),
    fallback: z.string().nullish(),
    author_name: z.string().nullish(),
    channel_name: z.string().nullish(),
    channel_id: SlackId.nullish().catch(undefined),
    ts: SlackTime.nullish().catch(undefined),
    from_url: z.string().nullish(),
    files: Files.nullish(),
  }),
);
type Attachment = z.output<typeof Attachments>[number];

/** Stands for the text of a forwarded message that has only files. */
const noText = "(no text)";

/** The first 10 forwarded messages that hold something, and their files; previews of links are left out. */
export function forwardedOf(attachments: readonly Attachment[]): { messages: Forwarded[]; files: SentFile[] } {
  const shown = attachments
    .filter(({ is_share: isShare }) => isShare === true)
    .flatMap((attachment) => {
      const message = messageOf(attachment);
      return message ? [{ message, files: attachment.files ?? [] }] : [];
    })
    .slice(0, forwardedLimits.perRequest);
  return { messages: shown.map(({ message }) => message), files: shown.flatMap(({ files }) => files) };
}

function messageOf(attachment: Attachment): Forwarded | undefined {
  const { text, fallback, files, author_name: author, channel_name: channel, from_url: link, ts } = attachment;
  const { channel_id: channelID } = attachment;
  const said = [text, fallback].map((one) => unescaped(one ?? "").trim()).find((one) => one !== "");
  const body = said ?? ((files ?? []).length > 0 ? noText : undefined);
  if (body === undefined) return undefined;
  return {
    text: cutCharacters(body, forwardedLimits.characters),
    ...(author && { author: firstCharacters(author, 200) }),
    ...(channel && { channel: firstCharacters(channel, 200) }),
    ...(channelID && { channelID }),
    ...(ts && { ts }),
    ...(link && { link: firstCharacters(link, 1_000) }),
  };
}
