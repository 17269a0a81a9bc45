import { Buffer } from "node:buffer";
import type { BundleSkills, SkillInSet } from "../../api/runtime/skill-set.ts";
import { skillPieceBytes, skillsPath } from "../../api/runtime/skill-set.ts";
import { decodeSet } from "../../domain/skills/skill-set.ts";
import { errorCode } from "../log.ts";
import { askGateway, type AskingDeps, type GatewayResponse, untilAnswered } from "./ask-gateway.ts";

/** Fetches the session's skills from the gateway, piece by piece, and checks them in full. */
export class SkillClient {
  readonly #deps: AskingDeps;

  constructor(deps: AskingDeps) {
    this.#deps = deps;
  }

  /** @throws Error whose message is for people */
  async read({ digest, pieces }: BundleSkills): Promise<SkillInSet[]> {
    const contents = [];
    for (let number = 0; number < pieces; number += 1) contents.push(await this.#piece(number));
    return decodeSet(Buffer.concat(contents), digest);
  }

  async #piece(number: number): Promise<Buffer> {
    const { status, content } = await untilAnswered(this.#deps, () => this.#try(number));
    if (status === 200) return content;
    throw new Error(`the skills could not be fetched from the gateway: it answered ${status}`);
  }

  async #try(number: number): Promise<GatewayResponse> {
    try {
      return await askGateway(this.#deps, { path: `${skillsPath}${number}`, longestAnswer: skillPieceBytes });
    } catch (error) {
      this.#deps.log.warn("Could not fetch skills", { code: errorCode(error) });
      return { status: 503, content: Buffer.alloc(0) };
    }
  }
}
