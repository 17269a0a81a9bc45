import { z } from "zod";

import { type Integration, linearCredentialKeys } from "../../api/v1alpha1/index.ts";
import type { Secret } from "../../kube/core-resources.ts";
import type { Clock } from "../../lib/clock.ts";
import { type CredentialsDeps, credentialText, readCredentials } from "../credentials.ts";
import { ProviderError } from "../provider-error.ts";
import { failureOf, type HttpAnswer, post } from "./linear-http.ts";

/** How long a token is used before the Secret is looked at again, so that withdrawn credentials stop within a minute. */
const recheckMs = 60_000;
/** A token is not used in the last hour of its 30 days. */
const spareMs = 3_600_000;
/** Always the same: with another set Linear revokes the application's other tokens. */
const scope = "read,write,app:assignable,app:mentionable";

/** The one without which nothing can be shown; that it is granted includes `read`. */
const neededScopes = ["write", "admin"];

const TokenAnswer = z.object({
  access_token: z.string().min(1).max(4_096),
  expires_in: z.number().min(1),
  scope: z
    .union([z.string().transform((text) => text.split(/[\s,]+/)), z.array(z.string())])
    .optional()
    .catch(undefined),
});

/** OAuth's codes of what is wrong, though the client's id and secret are right. */
const authorizationCodes = [
  "unauthorized_client",
  "invalid_scope",
  "invalid_grant",
  "access_denied",
  "unsupported_grant_type",
];
const TokenRefusal = z.object({ error: z.string().regex(/^[a-z_]{1,64}$/) });

interface Held {
  token: string;
  /** UID and version of the Secret that it was got with. */
  secretVersion: string;
  checkedMs: number;
  expireMs: number;
}

export interface TokensDeps extends CredentialsDeps {
  clock: Clock;
  /** Such as `https://api.linear.app`. */
  linearUrl: string;
}

/** Gets tokens for Integrations by the client credentials of their OAuth applications, and keeps them in memory. */
export class LinearTokens {
  readonly #deps: TokensDeps;
  readonly #held = new Map<string, Held>();
  readonly #pending = new Map<string, Promise<string>>();

  constructor(deps: TokensDeps) {
    this.#deps = deps;
  }

  /** @throws ProviderError */
  async of(integration: Integration): Promise<string> {
    const { uid = "" } = integration.metadata;
    const nowMs = this.#deps.clock.monotonicMs();
    const held = this.#held.get(uid);
    if (held && nowMs - held.checkedMs < recheckMs && nowMs < held.expireMs) return held.token;
    const pending = this.#pending.get(uid) ?? this.#renew(uid).finally(() => this.#pending.delete(uid));
    this.#pending.set(uid, pending);
    return pending;
  }

  /** Drops a token that Linear refused. */
  refused(integration: Integration): void {
    this.#held.delete(integration.metadata.uid ?? "");
  }

  /** Drops what is kept of an Integration, by its UID. */
  forget(uid: string): void {
    this.#held.delete(uid);
  }

  async #renew(uid: string): Promise<string> {
    const { clock } = this.#deps;
    const secret = await readCredentials(this.#deps, uid);
    const secretVersion = `${secret.metadata.uid ?? ""}/${secret.metadata.resourceVersion ?? ""}`;
    const checkedMs = clock.monotonicMs();
    const held = this.#held.get(uid);
    if (held?.secretVersion === secretVersion && checkedMs < held.expireMs) {
      held.checkedMs = checkedMs;
      return held.token;
    }
    const { access_token: token, expires_in: seconds } = await this.#request(secret);
    this.#held.set(uid, { token, secretVersion, checkedMs, expireMs: checkedMs + seconds * 1_000 - spareMs });
    return token;
  }

  async #request(secret: Secret): Promise<z.output<typeof TokenAnswer>> {
    const { linearUrl } = this.#deps;
    const form = new URLSearchParams({
      grant_type: "client_credentials",
      scope,
      client_id: credentialText(secret, linearCredentialKeys.clientId),
      client_secret: credentialText(secret, linearCredentialKeys.clientSecret),
    });
    const headers = { "content-type": "application/x-www-form-urlencoded", accept: "application/json" };
    const answer = await post(this.#deps, { url: `${linearUrl}/oauth/token`, headers, body: form.toString() });
    const failure = failureOf(answer, "the request of a token");
    if (failure?.failure === "refused" || failure?.failure === "credentials") throw refusalOf(answer);
    if (failure) throw failure;
    const { data } = TokenAnswer.safeParse(answer.json);
    if (!data) throw new ProviderError("unavailable", "Linear's answer to the request of a token holds none");
    if (!data.scope || data.scope.some((one) => neededScopes.includes(one))) return data;
    const message = "Linear gives tokens without the scope write";
    throw new ProviderError("credentials", message, { needsAuthorization: true });
  }
}

/** The error for an answer that refuses the client. */
function refusalOf({ status, json }: HttpAnswer): ProviderError {
  const code = TokenRefusal.safeParse(json).data?.error;
  const said = code === undefined ? String(status) : `${String(status)} (${code})`;
  const needsAuthorization = code !== undefined && authorizationCodes.includes(code);
  return new ProviderError("credentials", `Linear refuses the client credentials with ${said}`, { needsAuthorization });
}
