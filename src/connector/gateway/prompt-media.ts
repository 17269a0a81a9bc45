import type { Buffer } from "node:buffer";

import { type AttachedFile, mediaLimits, type Prompt } from "../../api/v1alpha1/index.ts";
import { digestOf } from "../../domain/images/image-key.ts";
import { downloadPath } from "../../domain/media/download-path.ts";
import { ProviderError } from "../provider-error.ts";
import { callGateway, type GatewayDeps } from "./call-gateway.ts";

/** Gets the files that agents attached to their answers from the gateway. */
export class PromptMedia {
  readonly #deps: GatewayDeps;

  constructor(deps: GatewayDeps) {
    this.#deps = deps;
  }

  /** The content; undefined where the gateway has it no more, or has another. @throws ProviderError `unavailable` */
  async read(prompt: Prompt, file: AttachedFile): Promise<Buffer<ArrayBuffer> | undefined> {
    const wanted = { path: downloadPath(prompt, file), longestAnswer: mediaLimits.bytes };
    const { status, content } = await callGateway(this.#deps, wanted);
    if (status === 404) return undefined;
    if (status !== 200)
      throw new ProviderError("unavailable", `The gateway answered a request for a file with ${status}`);
    return (await digestOf(content)) === file.digest ? content : undefined;
  }
}
