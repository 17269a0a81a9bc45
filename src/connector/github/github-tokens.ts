import { z } from "zod";

import { githubCredentialKeys, type Integration } from "../../api/v1alpha1/index.ts";
import type { Secret } from "../../kube/core-resources.ts";
import type { Clock } from "../../lib/clock.ts";
import { readRsaKey } from "../../lib/rsa-key.ts";
import { RsaSigner } from "../../lib/rsa-signer.ts";
import { type CredentialsDeps, credentialText, readCredentials } from "../credentials.ts";
import { ProviderError } from "../provider-error.ts";
import { githubFailure } from "./github-failure.ts";
import { type Answered, appRequest, type GitHubCall, perform, plainRequest, type Request } from "./github-request.ts";

/** How long a token is used before the Secret is looked at again, so that withdrawn credentials stop within a minute. */
const recheckMs = 60_000;
/** Tokens last an hour by GitHub's clock. */
const usableMs = 3_000_000;
const permissions = { issues: "write", pull_requests: "write", metadata: "read" } as const;

const TokenAnswer = z.object({ token: z.string().min(1).max(4_096) });

interface Held {
  token: string;
  /** UID and version of the Secret that it was got with. */
  secretVersion: string;
  checkedMs: number;
  expireMs: number;
}

export interface GitHubTokensDeps extends CredentialsDeps {
  clock: Clock;
  /** Such as `https://api.github.com`. */
  githubUrl: string;
}

/** Gets tokens of Apps' installations, each for one repository and what comments need, and keeps them in memory. */
export class GitHubTokens {
  readonly #deps: GitHubTokensDeps;
  readonly #held = new Map<string, Held>();
  readonly #pending = new Map<string, Promise<string>>();
  readonly #signer: RsaSigner;

  constructor(deps: GitHubTokensDeps) {
    this.#deps = deps;
    this.#signer = new RsaSigner(deps.clock);
  }

  /** A token for a repository, which is OWNER/NAME. @throws ProviderError */
  async of(integration: Integration, repository: string): Promise<string> {
    const key = keyOf(integration, repository);
    const nowMs = this.#deps.clock.monotonicMs();
    const held = this.#held.get(key);
    if (held && nowMs - held.checkedMs < recheckMs && nowMs < held.expireMs) return held.token;
    const renewing = (): Promise<string> =>
      this.#renew(integration, repository).finally(() => this.#pending.delete(key));
    const pending = this.#pending.get(key) ?? renewing();
    this.#pending.set(key, pending);
    return pending;
  }

  /** Drops a token that GitHub refused. */
  refused(integration: Integration, repository: string): void {
    this.#held.delete(keyOf(integration, repository));
  }

  /** Performs a call as the App itself. @throws ProviderError */
  async asApp<Data>(integration: Integration, call: GitHubCall<Data>): Promise<Answered<Data>> {
    return this.#asApp(integration, call, await readCredentials(this.#deps, integration.metadata.uid ?? ""));
  }

  async #renew(integration: Integration, repository: string): Promise<string> {
    const { clock } = this.#deps;
    const secret = await readCredentials(this.#deps, integration.metadata.uid ?? "");
    const secretVersion = `${secret.metadata.uid ?? ""}/${secret.metadata.resourceVersion ?? ""}`;
    const checkedMs = clock.monotonicMs();
    this.#forgetExpired(checkedMs);
    const key = keyOf(integration, repository);
    const held = this.#held.get(key);
    if (held?.secretVersion === secretVersion) {
      held.checkedMs = checkedMs;
      return held.token;
    }
    const { data } = await this.#asApp(integration, tokenCall(integration, repository), secret);
    this.#held.set(key, { token: data.token, secretVersion, checkedMs, expireMs: checkedMs + usableMs });
    return data.token;
  }

  #forgetExpired(nowMs: number): void {
    for (const [key, { expireMs }] of this.#held) if (nowMs >= expireMs) this.#held.delete(key);
  }

  async #asApp<Data>(integration: Integration, call: GitHubCall<Data>, secret: Secret): Promise<Answered<Data>> {
    try {
      return await perform(this.#appRequest(integration, secret), call);
    } catch (error) {
      const failure = githubFailure(call.operation, error, this.#deps.clock);
      if (failure.failure !== "refused" || !call.provesApp) throw failure;
      const why = "the App is not installed there, is suspended, or lacks a permission";
      throw new ProviderError("credentials", `${failure.message}: ${why}`);
    }
  }

  #appRequest({ metadata, spec }: Integration, secret: Secret): Request {
    const { privateKey } = githubCredentialKeys;
    const read = readRsaKey(credentialText(secret, privateKey));
    if ("problem" in read) throw new ProviderError("credentials", `The Integration's ${privateKey} ${read.problem}`);
    const app = { appId: spec.github?.appID ?? 0, key: read.pem, sharer: metadata.namespace ?? "" };
    return appRequest(plainRequest(this.#deps), { ...this.#deps, signer: this.#signer }, app);
  }
}

function tokenCall({ spec }: Integration, repository: string): GitHubCall<z.output<typeof TokenAnswer>> {
  return {
    operation: "create-token",
    route: "POST /app/installations/{installation_id}/access_tokens",
    parameters: {
      installation_id: spec.github?.installationID,
      repositories: [repository.split("/")[1] ?? ""],
      permissions,
    },
    answer: TokenAnswer,
    provesApp: true,
  };
}

/** The ids are part of it, so that a changed Integration gets other tokens. */
function keyOf({ metadata, spec }: Integration, repository: string): string {
  const { appID, installationID } = spec.github ?? {};
  return [metadata.uid, appID, installationID, repository.toLowerCase()].join("/");
}
