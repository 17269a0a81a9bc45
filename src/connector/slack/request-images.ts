import { imageLimits, type Integration, type IntegrationEvent, type PromptImage } from "../../api/v1alpha1/index.ts";
import type { Session, SlackFile } from "../../api/v1alpha1/index.ts";
import { digestOf, type ImageIdentity } from "../../domain/images/image-key.ts";
import { mediaTypeOf } from "../../domain/images/media-type.ts";
import { ProviderError } from "../provider-error.ts";
import type { Download } from "./download.ts";
import { Lanes } from "../lanes.ts";
import { type ImageLoss, lossNote } from "./image-losses.ts";
import { slackOf } from "./rules.ts";

export interface RequestImagesDeps {
  slack: { download(integration: Integration, url: string, longestBytes: number): Promise<Download> };
  /** Undefined = there is no room. */
  store: { store(session: Session, content: Uint8Array): Promise<ImageIdentity | undefined> };
}

/** The images of a request, as far as they could be had. */
export interface ReadImages {
  images: readonly PromptImage[];
  /** What the person reads of those that are left out; undefined where all are there. */
  note: string | undefined;
}

/** Requests whose images are read at a time, each with one image in memory; of one Integration fewer, so that none waits for another's files. */
const mostAtOnce = { inAll: 8, ofOne: 2 };
const busyMs = 1_000;
/** Milliseconds for which a request waits for images that Slack does not give. */
const patienceMs = 60_000;
/** Requests whose images are remembered, without their bytes; old ones make room. */
const mostRemembered = 1_000;

/** Reads images of requests, one at a time, and stores them for the session that the prompt goes to. */
export class RequestImages {
  readonly #deps: RequestImagesDeps;
  readonly #read = new Map<string, ReadImages>();
  readonly #atWork = new Lanes(mostAtOnce);

  constructor(deps: RequestImagesDeps) {
    this.#deps = deps;
  }

  /** Where there is no session yet, images are only looked at. @throws ProviderError */
  async read(
    integration: Integration,
    { event, session }: { event: IntegrationEvent; session: Session | undefined },
    now: Date,
  ): Promise<ReadImages> {
    const key = `${event.metadata.uid ?? ""} ${session?.metadata.uid ?? ""}`;
    const known = this.#read.get(key);
    if (known) return known;
    const leave = this.#atWork.enter(integration.metadata.uid ?? "");
    if (!leave) throw new ProviderError("throttled", "Images of other requests are read", { retryAfterMs: busyMs });
    try {
      const isLate = now.getTime() - Date.parse(event.spec.receivedTime) >= patienceMs;
      const read = await this.#readAll(integration, { event, session, isLate });
      // Who chooses again may have given the app its permission meanwhile.
      if (session || read.note === undefined) this.#remember(key, read);
      return read;
    } finally {
      leave();
    }
  }

  async #readAll(
    integration: Integration,
    { event, session, isLate }: { event: IntegrationEvent; session: Session | undefined; isLate: boolean },
  ): Promise<ReadImages> {
    const { files = [], moreFiles = 0 } = slackOf(event);
    const images: PromptImage[] = [];
    const losses: ImageLoss[] = Array.from({ length: moreFiles }, () => "tooMany");
    for (const file of files) {
      const read = await this.#readOne(integration, { file, session, isLate });
      if (typeof read === "string") losses.push(read);
      else images.push(read);
    }
    return { images, note: lossNote(losses) };
  }

  async #readOne(
    integration: Integration,
    { file, session, isLate }: { file: SlackFile; session: Session | undefined; isLate: boolean },
  ): Promise<PromptImage | ImageLoss> {
    if ((file.size ?? 0) > imageLimits.bytes) return "tooLarge";
    const download = await this.#deps.slack
      .download(integration, file.url, imageLimits.bytes)
      .catch(withheldWhere(isLate));
    if ("loss" in download) return download.loss;
    const mediaType = mediaTypeOf(download.content);
    if (!mediaType) return "noImage";
    const stored = session
      ? await this.#deps.store.store(session, download.content)
      : { mediaType, digest: await digestOf(download.content) };
    if (!stored) return "noRoom";
    return { ...stored, ...(file.name !== undefined && { fileName: file.name }) };
  }

  #remember(key: string, read: ReadImages): void {
    this.#read.set(key, read);
    const [oldest] = this.#read.keys();
    if (this.#read.size > mostRemembered && oldest !== undefined) this.#read.delete(oldest);
  }
}

/** A request waits for what Slack may give later, but not for ever. */
function withheldWhere(isLate: boolean): (error: unknown) => Download {
  return (error) => {
    const mayCome = error instanceof ProviderError && error.failure !== "credentials";
    if (isLate && mayCome) return { loss: "withheld" };
    throw error;
  };
}
