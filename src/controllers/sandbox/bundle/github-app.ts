import type { GitHubAppAccess } from "../../../api/runtime/github-apps.ts";
import { clonePlace } from "../../../api/v1alpha1/clone-url.ts";
import { reasons } from "../../../api/v1alpha1/reasons.ts";
import type { Repository } from "../../../api/v1alpha1/repository.ts";
import type { Secret } from "../../../kube/core-resources.ts";
import { keyText } from "../../../lib/resource.ts";
import { readRsaKey } from "../../../lib/rsa-key.ts";
import { isSameAddress } from "../../../lib/web-address.ts";
import { present } from "../present.ts";
import { type Checked, checked, refused } from "../refusal.ts";
import { textOf } from "./secret-text.ts";

/** APIs of GitHub that the gateway speaks to, such as `https://api.github.com`. */
export interface GitHubConfig {
  apiURLs: readonly string[];
}

/** What the gateway mints the Repository's tokens from; undefined when it names no GitHub App. */
export function githubAppOf(
  { metadata, spec }: Repository,
  secret: Secret | undefined,
  caCertificates: string | undefined,
): Checked<GitHubAppAccess | undefined> {
  if (!spec.githubApp) return checked(undefined);
  const { appID, installationID, apiURL, permissions, privateKeySecretRef } = spec.githubApp;
  const { name, key } = privateKeySecretRef;
  const where = `Secret ${keyText({ ...metadata, name })}, the key of Repository ${metadata.name ?? ""}'s GitHub App,`;
  if (!secret) return refused(reasons.secretNotFound, `${where} does not exist`);
  const read = readRsaKey(textOf(secret, key) ?? "");
  if ("problem" in read) {
    const problem = `${read.problem}, under the key ${key}; GitHub gives out one of 2,048 bits for an App`;
    return refused(reasons.invalidSecret, `${where} ${problem}`);
  }
  return checked({
    name: metadata.name ?? "",
    apiURL,
    ...ownerAndName(spec.url),
    appID,
    permissions,
    privateKey: read.pem,
    ...present({ installationID, caCertificates }),
  });
}

/** Whether the gateway speaks to the App's API. It refuses others itself, but only once a sandbox was started. */
export function checkGitHub({ metadata, spec }: Repository, { apiURLs }: GitHubConfig): Checked<undefined> {
  const { apiURL } = spec.githubApp ?? {};
  if (apiURL === undefined || apiURLs.some((allowed) => isSameAddress(allowed, apiURL))) return checked(undefined);
  const allowed = `this installation speaks to ${apiURLs.join(", ")} alone (chart value gateway.githubAPIURLs)`;
  const where = `Repository ${metadata.namespace ?? ""}/${metadata.name ?? ""}`;
  return refused(reasons.invalidSpec, `${where}: spec.githubApp.apiURL ${apiURL} is not allowed: ${allowed}`);
}

function ownerAndName(url: string): Pick<GitHubAppAccess, "owner" | "repository"> {
  const [owner = "", repository = ""] = clonePlace(url).path.split("/");
  return { owner, repository };
}
