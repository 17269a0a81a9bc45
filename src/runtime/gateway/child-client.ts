import { readFile } from "node:fs/promises";
import { request as send } from "node:https";
import { text } from "node:stream/consumers";

import { type ChildAnswer, type ChildRequest, childrenPath } from "../../api/runtime/children.ts";
import type { Clock } from "../../lib/clock.ts";
import { errorCode, type RuntimeLog } from "../log.ts";

interface Deps {
  clock: Clock;
  log: RuntimeLog;
  /** Whole URL of this attempt, `wss:`. */
  url: string;
  /** Replaced by the kubelet as time goes by, so read before each request. */
  tokenFile: string;
  caFile: string;
}

/** Requests at once; the gateway takes no more of one session. Others wait for their turn. */
const mostAtOnce = 4;
const mostWaiting = 60;
/** How long one try may take, in milliseconds; the gateway answers sooner. */
const answerMs = 30_000;
/** Waits between tries of what failed for now, in milliseconds. */
const retriesMs = [250, 500, 1_000, 2_000, 4_000, 8_000, 8_000];

/** Asks the gateway about child sessions. Repeats are the same request, and the gateway makes one child of them. */
export class ChildClient {
  readonly #deps: Deps;
  readonly #waiting: (() => void)[] = [];
  #underWay = 0;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Never rejects; what cannot be had after all tries is a 503. */
  async ask(asked: ChildRequest): Promise<ChildAnswer> {
    if (this.#waiting.length >= mostWaiting) return unavailable("too many requests at once; try again");
    if (this.#underWay >= mostAtOnce) await new Promise<void>((resolve) => void this.#waiting.push(resolve));
    else this.#underWay += 1;
    try {
      return await this.#askUntilAnswered(asked);
    } finally {
      // A place is handed on rather than freed.
      const next = this.#waiting.shift();
      if (next) next();
      else this.#underWay -= 1;
    }
  }

  async #askUntilAnswered(asked: ChildRequest): Promise<ChildAnswer> {
    for (const waitMs of [...retriesMs, undefined]) {
      const answer = await this.#try(asked);
      if (answer.status !== 503 || waitMs === undefined) return answer;
      await new Promise<void>((resolve) => void this.#deps.clock.setTimeout(resolve, waitMs));
    }
    return unavailable("the gateway is not there");
  }

  async #try(asked: ChildRequest): Promise<ChildAnswer> {
    try {
      return await this.#post(JSON.stringify(asked));
    } catch (error) {
      this.#deps.log.warn("Could not ask about child sessions", { code: errorCode(error) });
      return unavailable("the gateway could not be asked");
    }
  }

  async #post(body: string): Promise<ChildAnswer> {
    const { url, tokenFile, caFile } = this.#deps;
    const [token, ca] = await Promise.all([readFile(tokenFile, "utf8"), readFile(caFile, "utf8")]);
    const headers = {
      authorization: `Bearer ${token.trim()}`,
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
    };
    const to = new URL(`${url.replace(/^wss:/, "https:")}${childrenPath}`);
    return new Promise((resolve, reject) => {
      const request = send(to, { method: "POST", headers, ca, agent: false, timeout: answerMs }, (response) => {
        text(response)
          .then((answer) =>
            resolve({ status: response.statusCode ?? 503, body: JSON.parse(answer) as ChildAnswer["body"] }),
          )
          .catch(reject);
      });
      request.on("timeout", () => request.destroy(new Error("timeout")));
      request.on("error", reject);
      request.end(body);
    });
  }
}

function unavailable(error: string): ChildAnswer {
  return { status: 503, body: { error, code: "Unavailable" } };
}
