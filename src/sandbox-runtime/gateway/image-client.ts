import { imagesPath } from "../../api/runtime/pod-contract.ts";
import { imageLimits, type PromptImage } from "../../api/v1alpha1/prompt-image.ts";
import { digestOf, imageName, imageTitle } from "../../domain/images/image-key.ts";
import { errorCode } from "../log.ts";
import { askGateway, type AskingDeps, type GatewayResponse, untilAnswered } from "./ask-gateway.ts";

export interface ImageSource {
  /** @throws ImageError, or the signal's reason */
  read(image: PromptImage, signal: AbortSignal): Promise<Buffer>;
}

/** An image cannot be fetched; the message is for people. */
export class ImageError extends Error {
  override readonly name = "ImageError";
}

/** Fetches images from the gateway and checks their digests. */
export class ImageClient implements ImageSource {
  readonly #deps: AskingDeps;

  constructor(deps: AskingDeps) {
    this.#deps = deps;
  }

  async read(image: PromptImage, signal: AbortSignal): Promise<Buffer> {
    const { status, content } = await untilAnswered({ clock: this.#deps.clock, signal }, () =>
      this.#try(image, signal),
    );
    const title = imageTitle(image);
    if (status === 404) {
      throw new ImageError(
        `the session has no image ${title} of type ${image.mediaType}: upload it to this session, then ask again in another prompt`,
      );
    }
    if (status !== 200)
      throw new ImageError(`image ${title} could not be fetched from the gateway: it answered ${status}`);
    if ((await digestOf(content)) === image.digest) return content;
    throw new ImageError(`image ${title} came with another digest: what the blob store holds was changed`);
  }

  async #try(image: PromptImage, signal: AbortSignal): Promise<GatewayResponse> {
    signal.throwIfAborted();
    try {
      const path = imagesPath + imageName(image);
      return await askGateway(this.#deps, { path, longestAnswer: imageLimits.bytes, signal });
    } catch (error) {
      signal.throwIfAborted();
      this.#deps.log.warn("Could not fetch an image", { code: errorCode(error) });
      return unanswered;
    }
  }
}

const unanswered: GatewayResponse = { status: 503, content: Buffer.alloc(0) };
