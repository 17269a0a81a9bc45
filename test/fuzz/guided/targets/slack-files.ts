import {
  imageLimits,
  type Integration,
  type IntegrationEvent,
  PromptImage,
  type Session,
} from "../../../../src/api/v1alpha1/index.ts";
import { ProviderError } from "../../../../src/connector/provider-error.ts";
import { type Download, isAtSlack, lossOf } from "../../../../src/connector/slack/download.ts";
import { RequestImages } from "../../../../src/connector/slack/request-images.ts";
import { digestOf } from "../../../../src/domain/images/image-key.ts";
import { mediaTypeOf } from "../../../../src/domain/images/media-type.ts";
import { bounded, outcomeOf } from "../../property.ts";
import { must, type Target } from "../target.ts";
import { readSlack, receivedAt, slackEnvelope } from "./slack-bodies.ts";

const slackUrl = "https://slack.com";
/** What the first bytes of an image of each format are. */
export const imageBeginnings = [
  { mediaType: "image/png", begins: (text: string) => text.startsWith("\x89PNG\r\n\x1a\n") },
  { mediaType: "image/jpeg", begins: (text: string) => text.startsWith("\xff\xd8\xff") },
  { mediaType: "image/gif", begins: (text: string) => /^GIF8[79]a/.test(text) },
  { mediaType: "image/webp", begins: (text: string) => /^RIFF[^]{4}WEBP/.test(text) },
];

const content: Target = {
  name: "image-content",
  seeds: ["\x89PNG\r\n\x1a\n", "\xff\xd8\xff\xe0", "GIF89a", "GIF87a", "RIFF\0\0\0\0WEBPVP8 ", "<svg>"].map((text) =>
    Buffer.from(text, "latin1"),
  ),
  take(input) {
    const text = input.toString("latin1");
    const wanted = imageBeginnings.find(({ begins }) => begins(text))?.mediaType;
    must(mediaTypeOf(input) === wanted, "an image's type is what its bytes begin with");
  },
};

const address: Target = {
  name: "slack-file-address",
  seeds: [
    "https://files.slack.com/files-pri/T1-F1/a.png",
    "https://FILES.slack.com:443/a?b#c",
    "https://files.slack.com@evil.example/a",
    "https://evil.example\\.slack.com/a",
    "https:files.slack.com",
    "https://files.slack.com.evil.example/a",
    "http://slack.com/a",
  ],
  take(input) {
    const url = input.toString("utf8");
    if (!isAtSlack(url, slackUrl)) return;
    // What fetch does with it; it refuses addresses with a name and a password.
    const sent = outcomeOf(
      () => new Request(url).url,
      (error) => error instanceof TypeError,
    );
    if (sent === "refused") return;
    must(/^https:\/\/([^/?#@:\\]*\.)?slack\.com([/?#]|$)/.test(sent.value), "the token goes to Slack alone");
  },
};

/** A status and headers, a line each. */
const answer: Target = {
  name: "slack-file-answer",
  seeds: [
    "200\ncontent-type: image/png\ncontent-length: 10",
    "200\ncontent-type: text/html; charset=utf-8",
    "302\nlocation: https://slack.com",
    "429\nretry-after: 30",
    "429\nretry-after: Wed, 21 Oct 2026 07:28:00 GMT",
    "503",
  ],
  take(input) {
    const [first = "", ...lines] = input.toString("latin1").split("\n");
    const status = Number(first);
    const headers = headersOf(lines);
    if (!headers) return;
    const outcome = bounded(() => judge(status, headers));
    if (outcome instanceof ProviderError) {
      const waitMs = outcome.retryAfterMs ?? 0;
      must(waitMs >= 0 && waitMs <= 86_400_000, "what is waited for is a bounded time");
    } else must(outcome !== undefined || status === 200, "only an answer 200 has a file");
  },
};

function judge(status: number, headers: Headers): ReturnType<typeof lossOf> | ProviderError {
  try {
    return lossOf({ status, headers }, imageLimits.bytes);
  } catch (error) {
    if (error instanceof ProviderError) return error;
    throw error;
  }
}

function headersOf(lines: readonly string[]): Headers | undefined {
  try {
    return new Headers(lines.map((line): [string, string] => [line.split(":")[0] ?? "", line.replace(/^[^:]*:/, "")]));
  } catch {
    return undefined;
  }
}

const png = (rest: string): string => `{"mimetype":"image/png","name":"a.png","size":10,${rest}}`;
const asked = (rest: string): string =>
  slackEnvelope(`{"type":"app_mention","channel":"C1","user":"U1","text":"<@U2> look","ts":"1.2",${rest}}`);
const atSlack = (name: string): string => `"url_private":"https://files.slack.com/files-pri/T1-F1/${name}"`;

const request: Target = {
  name: "slack-request-files",
  seeds: [
    asked(`"files":[${png(atSlack("GIF89a"))},${png(atSlack("none"))}]`),
    asked(`"files":[${png('"url_private_download":"https://evil.example/GIF89a"')},${png('"url_private":null')}]`),
    asked(`"files":[${Array.from({ length: 8 }, () => png(atSlack("GIF87a1"))).join(",")}]`),
    asked(`"files":[{"mimetype":"image/gif","size":10485761,"name":"${"n".repeat(300)}",${atSlack("throttled")}}]`),
    asked(`"attachments":[{"is_share":true,"text":"t","files":[${png(atSlack("RIFF1234WEBP"))}]}]`),
  ],
  async take(input) {
    const event = readSlack(input);
    const { files = [], moreFiles = 0 } = event ?? {};
    if (!event || files.length === 0) return;
    const spec = { receivedTime: receivedAt.toISOString(), slack: event };
    // Late enough that nothing of Slack's is waited for any longer.
    const now = new Date(receivedAt.getTime() + 60_000);
    const about = { event: { metadata: { uid: "e" }, spec } as IntegrationEvent, session };
    const { images, note } = await new RequestImages({ slack: { download }, store: { store } }).read(
      integration,
      about,
      now,
    );
    for (const image of images) {
      const { error } = PromptImage.safeParse(image);
      must(error === undefined, `a Prompt takes what was read: ${error?.message}`);
    }
    must(images.length <= imageLimits.perPrompt, "a Prompt has no more images than it may");
    // A number stands before each reason.
    const counts = (note ?? "").split(/: |, /).map((part) => Number.parseInt(part, 10));
    const lost = counts.filter(Number.isInteger).reduce((sum, count) => sum + count, 0);
    must(images.length + lost === files.length + moreFiles, "the person reads of each image that is left out");
  },
};

const integration = { metadata: { uid: "i" } } as Integration;
const session = { metadata: { namespace: "shop", name: "s", uid: "s" } } as Session;

/** A file's content is the end of its address. */
function download(_integration: Integration, url: string): Promise<Download> {
  if (!isAtSlack(url, slackUrl)) return Promise.resolve({ loss: "elsewhere" });
  const end = url.slice(url.lastIndexOf("/") + 1);
  if (end === "throttled")
    return Promise.reject(new ProviderError("throttled", "Slack wants fewer requests for files"));
  return Promise.resolve({ content: Buffer.from(end, "latin1") });
}

/** Room is only for images with an even number of bytes. */
async function store(_session: Session, image: Uint8Array): ReturnType<RequestImagesStore> {
  const mediaType = mediaTypeOf(image);
  return mediaType && image.length % 2 === 0 ? { mediaType, digest: await digestOf(image) } : undefined;
}
type RequestImagesStore = ConstructorParameters<typeof RequestImages>[0]["store"]["store"];

/** What hangs on messages, and what Slack answers to who fetches it. */
export const slackFileTargets: readonly Target[] = [content, address, answer, request];
