import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Random } from "../../lib/random.ts";
import { redirect, sendError } from "../../page-server/answers.ts";
import type { PageAccess } from "../../page-server/page-server.ts";
import { isLoopbackHost } from "./loopback-host.ts";

interface OneTimeAccessDeps {
  random: Pick<Random, "bytes">;
  /** Port of the page on this machine. */
  port: () => number;
  token: () => Promise<string>;
  namespace: string;
}

const cookiePrefix = "runwright-page-";

/** Whether a cookie is the page's own. Browsers have one set of cookies for all ports of this machine. */
export function isPageCookie(cookie: string): boolean {
  return cookie.trimStart().startsWith(cookiePrefix);
}

/** A `Cookie` header without the page's own, which browsers send to every port of this machine, also to a sandbox's. */
export function withoutPageCookies(header: string): string {
  const pairs = header.split(";").map((pair) => pair.trim());
  return pairs.filter((pair) => !isPageCookie(pair)).join("; ");
}

/**
 * Access of the one browser that opens the address with the code. The code is exchanged for a cookie once, so that an
 * address in a history or over a shoulder is worth nothing.
 */
export class OneTimeAccess implements PageAccess {
  readonly #deps: OneTimeAccessDeps;
  readonly #secret: string;
  #code: string | undefined;

  constructor(deps: OneTimeAccessDeps) {
    this.#deps = deps;
    this.#secret = deps.random.bytes(32).toString("base64url");
    this.#code = deps.random.bytes(32).toString("base64url");
  }

  /** The address with the code. */
  address(): string {
    return `http://127.0.0.1:${this.#deps.port()}/?code=${this.#code ?? ""}`;
  }

  session(request: IncomingMessage) {
    const { namespace } = this.#deps;
    const isSignedIn = this.#isKnown(request);
    return Promise.resolve({ isSignedIn, signIn: { byToken: false, byProvider: false }, namespace });
  }

  async token(request: IncomingMessage): Promise<string | undefined> {
    return this.#isKnown(request) ? this.#deps.token() : undefined;
  }

  answer(request: IncomingMessage, response: ServerResponse, url: URL): Promise<boolean> {
    const code = url.searchParams.get("code");
    if (url.pathname !== "/" || code === null || request.method !== "GET") return Promise.resolve(false);
    if (this.#code !== undefined && isSame(code, this.#code)) {
      this.#code = undefined;
      // Without Secure, which browsers do not all accept from plain HTTP on this machine.
      const cookie = `${this.#cookieName()}=${this.#secret}; Path=/; HttpOnly; SameSite=Strict`;
      response.setHeader("set-cookie", cookie);
      redirect(response, "/");
    } else if (this.#isKnown(request)) {
      redirect(response, "/");
    } else {
      sendError(response, 403, "Forbidden", "this address was used already; run kubectl runwright ui again");
    }
    return Promise.resolve(true);
  }

  /** Refuses DNS rebinding: a site whose host name resolves to this machine. */
  wrongHost(host: string | undefined): string | undefined {
    return isLoopbackHost(host) ? undefined : "use the address that kubectl runwright ui shows";
  }

  #isKnown({ headers }: IncomingMessage): boolean {
    const wanted = `${this.#cookieName()}=`;
    const pairs = headers.cookie?.split("; ").filter((pair) => pair.startsWith(wanted)) ?? [];
    // A script of a sandbox's page, on another port, can add one of this name.
    return pairs.some((pair) => isSame(pair.slice(wanted.length), this.#secret));
  }

  /** Cookies of this machine are of all its ports. */
  #cookieName(): string {
    return `${cookiePrefix}${this.#deps.port()}`;
  }
}

/** In a time that says nothing of how much of it is right. */
function isSame(text: string, secret: string): boolean {
  const digest = (of: string): Buffer => createHash("sha256").update(of).digest();
  return timingSafeEqual(digest(text), digest(secret));
}
