import type { ChildAnswer } from "../../api/runtime/children.ts";
import { errorCode } from "../log.ts";
import { askGateway, type AskingDeps, untilAnswered } from "./ask-gateway.ts";

interface Deps extends AskingDeps {
  /** Below the attempt's path, such as `/children`. */
  path: string;
}

/** Concurrent requests; the gateway takes no more of one session. */
const mostAtOnce = 4;
const mostWaiting = 60;
/** Bytes of the largest answer: a list of 1,000 children with their results. */
const longestAnswer = 33_554_432;

/** Sends POST requests to one path of the attempt, a few at a time, and retries them unchanged. */
export class GatewayRequests {
  readonly #deps: Deps;
  readonly #waiting: (() => void)[] = [];
  #underWay = 0;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Never rejects; resolves with a 503 when all tries failed. */
  async ask(asked: object): Promise<ChildAnswer> {
    if (this.#waiting.length >= mostWaiting) return unavailable("too many requests at once; try again");
    if (this.#underWay >= mostAtOnce) await new Promise<void>((resolve) => void this.#waiting.push(resolve));
    else this.#underWay += 1;
    try {
      return await untilAnswered(this.#deps, () => this.#try(asked));
    } finally {
      // The next request takes over this one's place.
      const next = this.#waiting.shift();
      if (next) next();
      else this.#underWay -= 1;
    }
  }

  async #try(asked: object): Promise<ChildAnswer> {
    try {
      const body = JSON.stringify(asked);
      const answer = await askGateway(this.#deps, { path: this.#deps.path, body, longestAnswer });
      return { status: answer.status, body: JSON.parse(answer.content.toString("utf8")) as ChildAnswer["body"] };
    } catch (error) {
      this.#deps.log.warn("Could not ask the gateway", { path: this.#deps.path, code: errorCode(error) });
      return unavailable("the gateway could not be asked");
    }
  }
}

function unavailable(error: string): ChildAnswer {
  return { status: 503, body: { error, code: "Unavailable" } };
}
