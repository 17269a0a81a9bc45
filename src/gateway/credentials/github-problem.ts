import { plainText } from "../../api/runtime/text.ts";
import { firstCharacters } from "../../lib/characters.ts";
import { SigningError } from "../../lib/rsa-signer.ts";
import type { GitHubAppAccess } from "../../api/runtime/github-apps.ts";
import { type GitHubAnswer, isGitHubRateLimit } from "../../domain/integrations/github-rate-limit.ts";
import { SandboxError } from "../attempts/sandbox-error.ts";

/** Characters of GitHub's own message. */
const shownCharacters = 200;

/** Causes of GitHub's answers, by status. */
const explanations: Readonly<Record<number, string>> = {
  401: "appID and private key do not belong together, or the key was revoked",
  403: "the installation is suspended, or the App may not do this",
  404: "the App is not installed on the repository, or installationID is another App's",
  422: "the installation does not cover the repository, or the App lacks a permission that is asked for",
};

/** Why no token was minted, without any part of the key: 422 needs a change of settings, 502 may be tried again. */
export function githubProblem(error: unknown, app: GitHubAppAccess): SandboxError {
  const what = `no token of GitHub App ${app.appID} for ${app.owner}/${app.repository} from ${app.apiURL}`;
  const status = statusOf(error);
  if (status === undefined) return new SandboxError(502, "GitHubUnavailable", `${what}: ${causeOf(error)}`);
  const explained = explanations[status];
  if (explained === undefined || isRateLimit(error)) {
    return new SandboxError(502, "GitHubUnavailable", `${what}: it answered ${status}`);
  }
  const detail = status === 422 || status === 403 ? `; GitHub says: ${messageOf(error)}` : "";
  return new SandboxError(422, "CredentialRefused", `${what}: it answered ${status}: ${explained}${detail}`);
}

/** The status of an answer; undefined for a request without one, to which the library gives 500. */
function statusOf(error: unknown): number | undefined {
  const { status, response } = error as { status?: number; response?: object };
  return response === undefined ? undefined : status;
}

function isRateLimit(error: unknown): boolean {
  return isGitHubRateLimit((error as { response: GitHubAnswer }).response);
}

function messageOf(error: unknown): string {
  const { data } = (error as { response: { data?: unknown } }).response;
  const message = (data as { message?: unknown } | undefined)?.message;
  return typeof message === "string"
    ? firstCharacters(plainText(message, 2 * shownCharacters), shownCharacters)
    : "nothing";
}

/** A code such as ECONNREFUSED, and no message: it may quote what was sent. */
function causeOf(error: unknown): string {
  for (let at = error; at instanceof Error; at = at.cause) {
    if ("code" in at && typeof at.code === "string") return at.code;
    if (at instanceof SigningError) return at.message;
    if (at.name === "TimeoutError" || at.name === "AbortError") return "it did not answer in time";
  }
  return "it could not be asked";
}
