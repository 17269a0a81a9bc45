import type { IncomingMessage, ServerResponse } from "node:http";
import { z } from "zod";
import type { Clock } from "../lib/clock.ts";
import { redirect, sendError, sendJson } from "../page-server/answers.ts";
import type { GatewayLink } from "../page-server/forward.ts";
import type { PageAccess } from "../page-server/page-server.ts";
import type { PageSession } from "../page-server/page-session.ts";
import { statusOfToken } from "./gateway-link.ts";
import type { ProviderSignIn } from "./provider-sign-in.ts";
import { readJson } from "./read-json.ts";
import { returnPath } from "./return-path.ts";
import type { SignInGate } from "./sign-in-gate.ts";
import type { SignInSessions } from "./sign-in-session.ts";

interface WebAccessDeps {
  clock: Pick<Clock, "setTimeout">;
  sessions: SignInSessions;
  gateway: GatewayLink;
  /** Absent where people sign in by tokens alone. */
  provider?: ProviderSignIn | undefined;
  takesTokens: boolean;
  /** The namespace that is shown first; empty: all. */
  namespace: string;
  onError: (error: unknown) => void;
  gate: SignInGate;
  /** Called for each sign-in that was not tried. */
  onRefused: () => void;
}

const isRefused = (status: number): boolean => status === 401;

/** A token without blanks and line breaks, which a header can carry. */
const SignInBody = z.strictObject({ token: z.string().regex(/^[\x21-\x7e]{1,8192}$/) });

/** Access of people who sign in: each with a token of their own, and with nothing of this process. */
export class WebAccess implements PageAccess {
  readonly #deps: WebAccessDeps;

  constructor(deps: WebAccessDeps) {
    this.#deps = deps;
  }

  async session(request: IncomingMessage): Promise<PageSession> {
    const { sessions, provider, takesTokens, namespace } = this.#deps;
    const isSignedIn = (await sessions.token(request)) !== undefined;
    return { isSignedIn, signIn: { byToken: takesTokens, byProvider: provider !== undefined }, namespace };
  }

  token(request: IncomingMessage): Promise<string | undefined> {
    return this.#deps.sessions.token(request);
  }

  async answer(request: IncomingMessage, response: ServerResponse, url: URL): Promise<boolean> {
    const { provider, takesTokens } = this.#deps;
    switch (`${request.method ?? ""} ${url.pathname}`) {
      case "POST /page/sign-in":
        if (takesTokens) await this.#signIn(request, response);
        else sendError(response, 404, "NotFound", "tokens are not taken here");
        return true;
      case "POST /page/sign-out":
        response.setHeader("set-cookie", await this.#deps.sessions.end(request));
        sendJson(response, 200, {});
        return true;
      case "GET /page/provider":
        if (!provider) return false;
        await this.#toProvider(provider, response, returnPath(url.searchParams.get("to")));
        return true;
      case "GET /page/provider/callback":
        if (!provider) return false;
        await this.#fromProvider(provider, { request, response, url });
        return true;
      default:
        return false;
    }
  }

  async #signIn(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { data } = SignInBody.safeParse(await readJson(request));
    if (!data) {
      sendError(response, 400, "InvalidRequest", "the token must have 1 to 8,192 characters without blanks");
      return;
    }
    const { gate, gateway, clock, onRefused } = this.#deps;
    const status = await gate.pass(addressOf(request), () => statusOfToken(gateway, data.token, clock), isRefused);
    if (status === undefined) {
      onRefused();
      response.setHeader("retry-after", "2");
      sendError(response, 503, "Busy", "too many sign-ins of your address are under way, or have failed; try again");
    } else if (status === 200) {
      response.setHeader("set-cookie", await this.#deps.sessions.begin(data.token));
      sendJson(response, 200, {});
    } else if (status === 401) {
      sendError(response, 401, "Unauthorized", "the cluster does not accept this token");
    } else {
      sendError(
        response,
        503,
        "Unavailable",
        `the gateway could not check the token and answered ${status}; try again`,
      );
    }
  }

  async #toProvider(provider: ProviderSignIn, response: ServerResponse, to: string): Promise<void> {
    const { location, cookies } = await provider.begin(to);
    response.setHeader("set-cookie", cookies);
    redirect(response, location);
  }

  async #fromProvider(
    provider: ProviderSignIn,
    { request, response, url }: { request: IncomingMessage; response: ServerResponse; url: URL },
  ): Promise<void> {
    const { sessions, gate, onError, onRefused } = this.#deps;
    let problem = "failed";
    try {
      const signIn = (): Promise<{ token: string; to: string }> => this.#finish(provider, request, url);
      const found = await gate.pass(addressOf(request), signIn, () => false);
      if (found) {
        response.setHeader("set-cookie", [...provider.clear(), ...(await sessions.begin(found.token))]);
        redirect(response, found.to);
        return;
      }
      onRefused();
      problem = "busy";
    } catch (error) {
      onError(error);
    }
    response.setHeader("set-cookie", provider.clear());
    redirect(response, `/?sign-in=${problem}`);
  }

  async #finish(provider: ProviderSignIn, request: IncomingMessage, url: URL): Promise<{ token: string; to: string }> {
    const found = await provider.finish(request, url);
    const status = await statusOfToken(this.#deps.gateway, found.token, this.#deps.clock);
    if (status !== 200) throw new Error(`the gateway answered ${status} to the provider's token`);
    return found;
  }
}

function addressOf({ socket }: IncomingMessage): string {
  return socket.remoteAddress ?? "";
}
