import { rootCertificates } from "node:tls";
import { createAppAuth } from "@octokit/auth-app";
import { request as githubRequest } from "@octokit/request";
import { Agent, fetch } from "undici";
import type { Clock } from "../../lib/clock.ts";
import type { MintedCredential } from "../../api/runtime/git-credentials.ts";
import type { GitHubAppAccess } from "../../api/runtime/github-apps.ts";
import { appJwt } from "../../lib/github-app-jwt.ts";
import { readRsaKey } from "../../lib/rsa-key.ts";
import { RsaSigner } from "../../lib/rsa-signer.ts";
import { isSameAddress } from "../../lib/web-address.ts";
import { SandboxError } from "../attempts/sandbox-error.ts";
import { githubProblem } from "./github-problem.ts";

export interface GitHubSettings {
  /** Allowed API URLs, such as `https://api.github.com`; tenants choose among them. */
  apiURLs: readonly string[];
}

/** User name that goes with a token as the password. */
const username = "x-access-token";
/** Limit of the use of a token, in seconds: it expires after an hour by GitHub's clock, which may differ from ours. */
const longestUseSeconds = 1_800;
/** Seconds that remain for a git command that starts at the end of that time. */
const reserveSeconds = 300;
const connectMs = 5_000;
/** Milliseconds for one answer of GitHub; two of them fit into the time limit of a sandbox's request. */
const answerMs = 8_000;

type Request = typeof githubRequest;

interface Deps extends GitHubSettings {
  clock: Pick<Clock, "setTimeout" | "now">;
}

/** Mints installation tokens of GitHub Apps, each for one repository with the requested permissions. */
export class TokenMint {
  readonly #deps: Deps;
  readonly #signer: RsaSigner;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#signer = new RsaSigner(deps.clock);
  }

  /** For a session of the namespace. @throws SandboxError: 422 needs a change of settings, 502 may be tried again */
  async mint(app: GitHubAppAccess, namespace: string, signal: AbortSignal): Promise<MintedCredential> {
    const { apiURLs, clock } = this.#deps;
    if (!apiURLs.some((allowed) => isSameAddress(allowed, app.apiURL))) {
      const allowed = `this installation speaks to ${apiURLs.join(", ")} alone`;
      throw new SandboxError(422, "CredentialRefused", `githubApp.apiURL ${app.apiURL} is not allowed: ${allowed}`);
    }
    const { appID: appId, caCertificates } = app;
    // The controller that stored it may have been of an earlier release.
    const read = readRsaKey(app.privateKey);
    if ("problem" in read)
      throw new SandboxError(422, "CredentialRefused", `the key of GitHub App ${appId} ${read.problem}`);
    const createJwt = appJwt({ signer: this.#signer, clock }, { appId, key: read.pem, sharer: namespace });
    const ca = caCertificates === undefined ? {} : { ca: [...rootCertificates, caCertificates] };
    const dispatcher = new Agent({ connect: { ...ca, timeout: connectMs } });
    try {
      return await mintOver(requestFor(app, { createJwt, dispatcher, clock, signal }), app);
    } catch (error) {
      throw githubProblem(error, app);
    } finally {
      void dispatcher.destroy();
    }
  }
}

interface RequestDeps extends Pick<Deps, "clock"> {
  createJwt: ReturnType<typeof appJwt>;
  dispatcher: Agent;
  signal: AbortSignal;
}

/**
 * Requests authenticated as the App. `auth({type: "installation"})` of the library is not used: it shares concurrent
 * requests by installation and repository, so that a second App would get the token of the first.
 */
function requestFor(app: GitHubAppAccess, { createJwt, dispatcher, clock, signal }: RequestDeps): Request {
  const direct = async (url: string, options: object): Promise<unknown> => {
    const late = new AbortController();
    // Not cancelled after the headers, so that it limits the body too.
    clock.setTimeout(() => late.abort(), answerMs);
    const either = AbortSignal.any([signal, late.signal]);
    return fetch(url, { ...options, dispatcher, redirect: "error", signal: either });
  };
  const request = githubRequest.defaults({ baseUrl: app.apiURL, request: { fetch: direct } });
  const auth = createAppAuth({ appId: app.appID, createJwt, request, log: { warn: silent } });
  return request.defaults({ request: { hook: auth.hook.bind(auth) } });
}

async function mintOver(request: Request, app: GitHubAppAccess): Promise<MintedCredential> {
  const { owner, repository: repo, permissions } = app;
  const installation_id =
    app.installationID ?? (await request("GET /repos/{owner}/{repo}/installation", { owner, repo })).data.id;
  const { data, headers } = await request("POST /app/installations/{installation_id}/access_tokens", {
    installation_id,
    repositories: [repo],
    permissions,
  });
  // By GitHub's clock: ours may be wrong.
  const lifetimeMs = Date.parse(data.expires_at) - Date.parse(headers.date ?? "");
  const usable = Math.floor(lifetimeMs / 1_000) - reserveSeconds;
  const usableSeconds = Number.isFinite(usable) ? Math.min(Math.max(usable, 0), longestUseSeconds) : 0;
  return { username, password: data.token, usableSeconds };
}

function silent(): void {
  // The library warns of clock differences, which it corrects itself.
}
