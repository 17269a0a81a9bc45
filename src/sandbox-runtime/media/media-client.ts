import type { ChildAnswer } from "../../api/runtime/children.ts";
import { mediaPath } from "../../api/runtime/pod-contract.ts";
import { askGateway, type AskingDeps, untilAnswered } from "../gateway/ask-gateway.ts";
import { errorCode } from "../log.ts";

export interface MediaStore {
  /** Stores a file for the answer of a prompt; 201 where that has it. Never rejects. */
  put(promptUid: string, content: Buffer): Promise<ChildAnswer>;
}

const longestAnswer = 65_536;

/** Sends files to the gateway, which keeps them in the blob store. */
export class MediaClient implements MediaStore {
  readonly #deps: AskingDeps;

  constructor(deps: AskingDeps) {
    this.#deps = deps;
  }

  put(promptUid: string, content: Buffer): Promise<ChildAnswer> {
    return untilAnswered(this.#deps, () => this.#try(promptUid, content));
  }

  async #try(promptUid: string, body: Buffer): Promise<ChildAnswer> {
    try {
      const { status, content } = await askGateway(this.#deps, { path: mediaPath + promptUid, body, longestAnswer });
      return { status, body: JSON.parse(content.toString("utf8")) as ChildAnswer["body"] };
    } catch (error) {
      this.#deps.log.warn("Could not send a file to the gateway", { code: errorCode(error) });
      return unavailable;
    }
  }
}

const unavailable: ChildAnswer = {
  status: 503,
  body: { error: "the gateway could not be asked; try again", code: "Unavailable" },
};
