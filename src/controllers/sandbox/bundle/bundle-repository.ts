import type { BundleRepository } from "../../../api/runtime/bundle.ts";
import type { GitHubAppAccess } from "../../../api/runtime/github-apps.ts";
import { reasons } from "../../../api/v1alpha1/reasons.ts";
import type { Repository } from "../../../api/v1alpha1/repository.ts";
import type { Secret } from "../../../kube/core-resources.ts";
import { keyText } from "../../../lib/resource.ts";
import { credentialOf } from "./git-credential.ts";
import { checkGitHub, type GitHubConfig, githubAppOf } from "./github-app.ts";
import { type Checked, checked, refused } from "../refusal.ts";
import { textOf } from "./secret-text.ts";

/** The Secrets that a Repository names, as they were found. */
export interface RepositorySecrets {
  credential: Secret | undefined;
  ca: Secret | undefined;
  appKey: Secret | undefined;
}

export interface FoundRepository {
  /** For the runtime. */
  entry: BundleRepository;
  /** For the gateway alone, when a GitHub App gives the credential. */
  githubApp: GitHubAppAccess | undefined;
}

/** The names of a Repository's Secrets, as {@link bundleRepository} wants them found. */
export function secretRefsOf({ spec }: Repository): Record<keyof RepositorySecrets, { name: string } | undefined> {
  return { credential: spec.credentialSecretRef, ca: spec.caSecretRef, appKey: spec.githubApp?.privateKeySecretRef };
}

/** What runtime and gateway need of one repository, or what of it or of its Secrets cannot be used and why. */
export function bundleRepository(
  repository: Repository,
  secrets: RepositorySecrets,
  github: GitHubConfig,
): Checked<FoundRepository> {
  const { url, branch } = repository.spec;
  const spoken = checkGitHub(repository, github);
  if (!spoken.ok) return spoken;
  const credential = credentialOf(repository, secrets.credential);
  if (!credential.ok) return credential;
  const ca = certificatesOf(repository, secrets.ca);
  if (!ca.ok) return ca;
  const githubApp = githubAppOf(repository, secrets.appKey, ca.value);
  if (!githubApp.ok) return githubApp;
  const entry = {
    name: repository.metadata.name ?? "",
    url,
    branch,
    ...credential.value,
    ...(githubApp.value && { mintsCredential: true as const }),
    ...(ca.value === undefined ? {} : { caCertificates: ca.value }),
  };
  return checked({ entry, githubApp: githubApp.value });
}

function certificatesOf({ metadata, spec }: Repository, secret: Secret | undefined): Checked<string | undefined> {
  const name = spec.caSecretRef?.name;
  if (name === undefined) return checked(undefined);
  const where = `Secret ${keyText({ ...metadata, name })}, the certificate authorities of Repository ${metadata.name ?? ""},`;
  if (!secret) return refused(reasons.secretNotFound, `${where} does not exist`);
  const text = textOf(secret, "ca.crt");
  if (!text?.includes("-----BEGIN CERTIFICATE-----")) {
    return refused(reasons.invalidSecret, `${where} has no PEM certificate under the key ca.crt`);
  }
  return checked(text);
}
