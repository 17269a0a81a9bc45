import type { IncomingMessage } from "node:http";
import { decodeJwt } from "jose";
import { z } from "zod";
import type { Clock } from "../lib/clock.ts";
import type { Random } from "../lib/random.ts";
import type { SealedCookies } from "./sealed-cookies.ts";

const name = "session";
/** The longest that a browser stays signed in. */
const mostSeconds = 3_600;

const Sealed = z.object({ token: z.string(), id: z.string(), exp: z.number() });
type Sealed = z.output<typeof Sealed>;

/** Who is signed in: a person's token in the browser's own cookie, and here nothing but which of them were signed out. */
export class SignInSessions {
  readonly #cookies: SealedCookies;
  readonly #clock: Pick<Clock, "now">;
  readonly #random: Pick<Random, "uuid">;
  /** Ids that were signed out, with the second at which their cookie ends by itself. */
  readonly #signedOut = new Map<string, number>();

  constructor(deps: { cookies: SealedCookies; clock: Pick<Clock, "now">; random: Pick<Random, "uuid"> }) {
    this.#cookies = deps.cookies;
    this.#clock = deps.clock;
    this.#random = deps.random;
  }

  /** `Set-Cookie` headers that sign a browser in, for an hour or until its token ends. @throws RangeError for a long token */
  begin(token: string): Promise<string[]> {
    return this.#cookies.seal(name, { token, id: this.#random.uuid() }, this.#secondsOf(token));
  }

  /** The person's token; undefined for a browser that is not signed in. */
  async token(request: Pick<IncomingMessage, "headers">): Promise<string | undefined> {
    return (await this.#find(request))?.token;
  }

  /** `Set-Cookie` headers that sign a browser out; a copy of its cookie is worth nothing afterwards. */
  async end(request: Pick<IncomingMessage, "headers">): Promise<string[]> {
    const found = await this.#find(request);
    if (found) {
      this.#forgetExpired();
      this.#signedOut.set(found.id, found.exp);
    }
    return this.#cookies.clear(name);
  }

  async #find(request: Pick<IncomingMessage, "headers">): Promise<Sealed | undefined> {
    const { data } = Sealed.safeParse(await this.#cookies.open(name, request));
    return data && !this.#signedOut.has(data.id) ? data : undefined;
  }

  #forgetExpired(): void {
    for (const [id, exp] of this.#signedOut) if (exp <= this.#nowSeconds()) this.#signedOut.delete(id);
  }

  #secondsOf(token: string): number {
    const end = endOf(token);
    return end === undefined ? mostSeconds : Math.max(0, Math.min(mostSeconds, end - this.#nowSeconds()));
  }

  #nowSeconds(): number {
    return Math.floor(this.#clock.now().getTime() / 1_000);
  }
}

/** When a token ends, in seconds since 1970; undefined where it does not say. The gateway checks it; this is for the cookie. */
function endOf(token: string): number | undefined {
  try {
    return decodeJwt(token).exp;
  } catch {
    return undefined;
  }
}
