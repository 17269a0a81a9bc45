import { rootCertificates } from "node:tls";
import { createAppAuth } from "@octokit/auth-app";
import { request as githubRequest } from "@octokit/request";
import { Agent, fetch } from "undici";
import type { Clock } from "../../lib/clock.ts";
import type { MintedCredential } from "../../api/runtime/git-credentials.ts";
import type { GitHubAppAccess } from "../../api/runtime/github-apps.ts";
import { SandboxError } from "../attempts/sandbox-error.ts";
import { githubProblem } from "./github-problem.ts";

export interface GitHubSettings {
  /** Where tokens may be had, such as `https://api.github.com`; keys of tenants choose among these alone. */
  apiURLs: readonly string[];
}

/** What code hosts take beside a token when they ask for a user name. */
const username = "x-access-token";
/** A token is used this long at most, in seconds: its lifetime is an hour by GitHub's clock, which may be another. */
const longestUseSeconds = 1_800;
/** Seconds that are left for the git command that begins last. */
const reserveSeconds = 300;
const connectMs = 5_000;
/** Milliseconds for one answer of GitHub; both together stay within what a sandbox's request may take. */
const answerMs = 8_000;

type Request = typeof githubRequest;

interface Deps extends GitHubSettings {
  clock: Pick<Clock, "setTimeout">;
}

/** Mints GitHub's installation tokens, each for one repository and with the permissions that were asked for. */
export class TokenMint {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** @throws SandboxError: 422 for what a person must change, 502 for what may pass */
  async mint(app: GitHubAppAccess, signal: AbortSignal): Promise<MintedCredential> {
    const { apiURLs, clock } = this.#deps;
    if (!apiURLs.includes(app.apiURL)) {
      const allowed = `this installation speaks to ${apiURLs.join(", ")} alone`;
      throw new SandboxError(422, "CredentialRefused", `githubApp.apiURL ${app.apiURL} is not allowed: ${allowed}`);
    }
    const { caCertificates } = app;
    const ca = caCertificates === undefined ? {} : { ca: [...rootCertificates, caCertificates] };
    const dispatcher = new Agent({ connect: { ...ca, timeout: connectMs } });
    try {
      return await mintOver(requestFor(app, { dispatcher, clock, signal }), app);
    } catch (error) {
      throw githubProblem(error, app);
    } finally {
      void dispatcher.destroy();
    }
  }
}

/**
 * Requests with the App's own proof. `auth({type: "installation"})` of the library is not used: requests under way are
 * shared by installation and repository there, so that a second App would be given the first one's token.
 */
function requestFor(
  app: GitHubAppAccess,
  { dispatcher, clock, signal }: { dispatcher: Agent; clock: Deps["clock"]; signal: AbortSignal },
): Request {
  const direct = async (url: string, options: object): Promise<unknown> => {
    const late = new AbortController();
    // Not cancelled with the headers: the time is for the body as well.
    clock.setTimeout(() => late.abort(), answerMs);
    return fetch(url, {
      ...options,
      dispatcher,
      redirect: "error",
      signal: AbortSignal.any([signal, late.signal]),
    });
  };
  const request = githubRequest.defaults({ baseUrl: app.apiURL, request: { fetch: direct } });
  const auth = createAppAuth({ appId: app.appID, privateKey: app.privateKey, request, log: { warn: silent } });
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
  // Measured by GitHub's own clock: ours may go wrong.
  const lifetimeMs = Date.parse(data.expires_at) - Date.parse(headers.date ?? "");
  const usable = Math.floor(lifetimeMs / 1_000) - reserveSeconds;
  const usableSeconds = Number.isFinite(usable) ? Math.min(Math.max(usable, 0), longestUseSeconds) : 0;
  return { username, password: data.token, usableSeconds };
}

function silent(): void {
  // What is wrong with the clock is not worth a line: the library mends it.
}
