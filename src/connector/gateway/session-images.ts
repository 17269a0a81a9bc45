import { z } from "zod";

import { PromptImage, type Session } from "../../api/v1alpha1/index.ts";
import type { ImageIdentity } from "../../domain/images/image-key.ts";
import { ProviderError } from "../provider-error.ts";
import { callGateway, type GatewayDeps } from "./call-gateway.ts";

const longestAnswer = 65_536;

const Stored = z.object({ image: PromptImage.pick({ digest: true, mediaType: true }) });

/** Puts images of prompts where sandboxes get them from: the gateway keeps them, within its limits and budgets. */
export class SessionImages {
  readonly #deps: GatewayDeps;

  constructor(deps: GatewayDeps) {
    this.#deps = deps;
  }

  /** Stores an image for a session; undefined where the gateway has no room for it. @throws ProviderError `unavailable` */
  async store({ metadata }: Session, content: Uint8Array): Promise<ImageIdentity | undefined> {
    const { namespace = "", name = "" } = metadata;
    const path = `/sessions/${namespace}.${name}/images`;
    const answer = await callGateway(this.#deps, { path, content, longestAnswer });
    if (answer.status === 409) return undefined;
    const { data } = Stored.safeParse(parsedJson(answer.content.toString("utf8")));
    if (answer.status === 201 && data) return data.image;
    throw new ProviderError("unavailable", `The gateway answered the upload of an image with ${answer.status}`);
  }
}

/** Undefined where it is no JSON. */
function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
