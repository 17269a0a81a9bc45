import type { IncomingMessage } from "node:http";
import {
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  type Configuration,
  discovery,
  randomPKCECodeVerifier,
} from "openid-client";
import { z } from "zod";
import type { Clock } from "../lib/clock.ts";
import type { Random } from "../lib/random.ts";
import type { SealedCookies } from "./sealed-cookies.ts";

/** An OpenID Connect provider that the kube-apiserver trusts. */
export interface ProviderConfig {
  issuer: string;
  clientId: string;
  /** Absent for a public client. */
  clientSecret?: string | undefined;
  scopes: string;
  /** Where people have the page, such as `https://runwright.example.com`. */
  pageUrl: string;
}

const name = "provider";
/** For how long a person may stay at the provider. */
const waitSeconds = 600;
/** Milliseconds after a failure before the provider is asked again what it offers, which nobody has to sign in for. */
const askAgainMs = 1_000;

/** `to`: where on the page the person was. */
const Begun = z.object({ verifier: z.string(), state: z.string(), nonce: z.string(), to: z.string() });

interface ProviderDeps {
  config: ProviderConfig;
  cookies: SealedCookies;
  clock: Pick<Clock, "monotonicMs">;
  random: Pick<Random, "bytes">;
}

/** Sign-in by authorization code with PKCE; what proves that the same browser comes back is in a cookie of its own. */
export class ProviderSignIn {
  readonly #deps: ProviderDeps;
  #found: Promise<Configuration> | undefined;
  /** Monotonic milliseconds of a failure after which it was not yet asked again. */
  #failedMs: number | undefined;

  constructor(deps: ProviderDeps) {
    this.#deps = deps;
  }

  /** Where to send the browser, and the cookies that it needs when it comes back to a path of the page. */
  async begin(to: string): Promise<{ location: string; cookies: string[] }> {
    const { config, cookies, random } = this.#deps;
    const verifier = randomPKCECodeVerifier();
    const [state, nonce] = [random.bytes(24).toString("base64url"), random.bytes(24).toString("base64url")];
    const location = buildAuthorizationUrl(await this.#provider(), {
      redirect_uri: this.#callback(),
      scope: config.scopes,
      code_challenge: await calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
      state,
      nonce,
    });
    return { location: location.href, cookies: await cookies.seal(name, { verifier, state, nonce, to }, waitSeconds) };
  }

  /** The person's token for the cluster, and where the person was. @throws Error where the browser did not begin here, or the provider refuses */
  async finish(request: IncomingMessage, url: URL): Promise<{ token: string; to: string }> {
    const { data } = Begun.safeParse(await this.#deps.cookies.open(name, request));
    if (!data) throw new Error("this browser has not begun to sign in, or more than 10 minutes ago");
    const answer = new URL(`${this.#callback()}${url.search}`);
    const tokens = await authorizationCodeGrant(await this.#provider(), answer, {
      pkceCodeVerifier: data.verifier,
      expectedState: data.state,
      expectedNonce: data.nonce,
      idTokenExpected: true,
    });
    if (tokens.id_token === undefined) throw new Error("the provider gave no ID token");
    return { token: tokens.id_token, to: data.to };
  }

  clear(): string[] {
    return this.#deps.cookies.clear(name);
  }

  #callback(): string {
    return new URL("/page/provider/callback", this.#deps.config.pageUrl).href;
  }

  /** Found at the first sign-in, and again a second after a failure, so that the page starts while the provider is away. */
  #provider(): Promise<Configuration> {
    const { clock } = this.#deps;
    if (this.#failedMs !== undefined && clock.monotonicMs() - this.#failedMs >= askAgainMs) {
      this.#found = undefined;
      this.#failedMs = undefined;
    }
    return (this.#found ??= this.#discover());
  }

  async #discover(): Promise<Configuration> {
    const { config, clock } = this.#deps;
    try {
      return await discovery(new URL(config.issuer), config.clientId, config.clientSecret);
    } catch (error) {
      this.#failedMs = clock.monotonicMs();
      throw error;
    }
  }
}
