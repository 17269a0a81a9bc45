import {
  type AttachedFile,
  type Integration,
  mediaLimits,
  type Post,
  type Prompt,
} from "../../../api/v1alpha1/index.ts";
import type { PromptMedia } from "../../gateway/prompt-media.ts";
import { mostTries } from "../../next-try.ts";
import { ProviderError } from "../../provider-error.ts";
import { type PosterDeps, postMessages } from "../post-message.ts";
import type { SlackApi } from "../slack-api.ts";
import { leftOutText, sessionLink, uncertainText } from "./media-text.ts";

export interface MediaDeps extends PosterDeps {
  slack: Pick<SlackApi, "call" | "post" | "upload">;
  media: Pick<PromptMedia, "read">;
  /** Where people have the web page; undefined where there is none. */
  pageUrl?: string | undefined;
}

type Media = NonNullable<NonNullable<Prompt["status"]>["media"]>;

interface Uploaded {
  id: string;
  title: string;
}

/**
 * Shows the files of an answer in its thread, all together and once: Slack knows no repeated call, so after one whose outcome is not
 * known a message says that they may be missing. Until Slack is asked to show them nobody sees them, so up to there all is tried
 * again. A file that is refused, or fails at the last try, is counted. @throws ProviderError
 */
export async function postMedia(
  deps: MediaDeps,
  { integration, post }: { integration: Integration; post: Post },
  prompt: Prompt | undefined,
): Promise<void> {
  const media = prompt?.status?.media;
  // The session is gone with its files.
  if (!prompt || !media) return;
  const link = sessionLink(post, { url: deps.pageUrl, namespace: integration.metadata.namespace ?? "" });
  const text =
    post.callTime === undefined
      ? await sendAll(deps, { integration, post }, { prompt, media, link })
      : uncertainText(media.files.length, link);
  if (text === undefined) return;
  const block = { type: "section", text: { type: "mrkdwn", text, verbatim: true } } as const;
  await postMessages(deps, integration, post, [{ text, blocks: [block] }]);
}

/** Gives what is still to be said of files that are not shown. */
async function sendAll(
  deps: MediaDeps,
  { integration, post }: { integration: Integration; post: Post },
  { prompt, media, link }: { prompt: Prompt; media: Media; link: string },
): Promise<string | undefined> {
  const isLastTry = post.tries >= mostTries - 1;
  const uploaded = await uploadAll(deps, integration, { prompt, media, isLastTry });
  const all = media.leftOut + media.files.length;
  const leftOut = all - uploaded.length;
  const told = leftOut === 0 ? undefined : leftOutText(leftOut, link);
  if (uploaded.length === 0) return told;
  return (await show(deps, integration, { post, uploaded, told })) ? undefined : leftOutText(all, link);
}

/** The files that Slack has, in their order. Nothing of them is seen yet. @throws ProviderError that is no unknown outcome */
async function uploadAll(
  deps: MediaDeps,
  integration: Integration,
  { prompt, media, isLastTry }: { prompt: Prompt; media: Media; isLastTry: boolean },
): Promise<Uploaded[]> {
  const uploaded: Uploaded[] = [];
  for (const file of media.files.slice(0, mediaLimits.perPrompt)) {
    try {
      const id = await upload(deps, integration, prompt, file);
      if (id !== undefined) uploaded.push({ id, title: file.fileName });
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error;
      if (error.failure === "credentials") throw error;
      if (error.failure !== "refused" && !isLastTry) throw triedAgain(error);
    }
  }
  return uploaded;
}

/** Undefined where the gateway does not have it any more. */
async function upload(
  { slack, media }: MediaDeps,
  integration: Integration,
  prompt: Prompt,
  file: AttachedFile,
): Promise<string | undefined> {
  const content = await media.read(prompt, file);
  if (!content) return undefined;
  const { upload_url: url = "", file_id: id = "" } = await slack.call(
    integration,
    "files.getUploadURLExternal",
    (web) => web.files.getUploadURLExternal({ filename: file.fileName, length: content.length }),
  );
  await slack.upload(integration, url, content);
  return id;
}

/** False where Slack refuses to show them. @throws ProviderError */
async function show(
  { slack }: MediaDeps,
  integration: Integration,
  { post, uploaded, told }: { post: Post; uploaded: readonly Uploaded[]; told: string | undefined },
): Promise<boolean> {
  const [first, ...others] = uploaded;
  const { slack: place } = post;
  if (!first || !place) return false;
  try {
    await slack.post(integration, { operation: "files.completeUploadExternal", channel: place.channelID }, (web) =>
      web.files.completeUploadExternal({
        files: [first, ...others],
        channel_id: place.channelID,
        thread_ts: place.threadTS,
        ...(told !== undefined && { initial_comment: told }),
      }),
    );
    return true;
  } catch (error) {
    if (error instanceof ProviderError && error.failure === "refused") return false;
    throw error;
  }
}

/** What failed before anything could be seen has a known outcome. */
function triedAgain({ message, retryAfterMs, cause }: ProviderError): ProviderError {
  return new ProviderError("throttled", message, { retryAfterMs, cause });
}
