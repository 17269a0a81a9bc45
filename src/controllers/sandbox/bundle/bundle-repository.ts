import type { BundleRepository } from "../../../api/runtime/bundle.ts";
import type { GitHubAppAccess } from "../../../api/runtime/github-apps.ts";
import { reasons } from "../../../api/v1alpha1/reasons.ts";
import type { Repository } from "../../../api/v1alpha1/repository.ts";
import type { KubeClient } from "../../../kube/client.ts";
import { type Secret, secrets } from "../../../kube/core-resources.ts";
import { keyText } from "../../../lib/resource.ts";
import { credentialOf } from "./git-credential.ts";
import { checkGitHub, type GitHubConfig, githubAppOf } from "./github-app.ts";
import { present } from "../present.ts";
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

/** The Secrets that a Repository names. */
export function secretRefsOf({ spec }: Repository): Record<keyof RepositorySecrets, { name: string } | undefined> {
  return { credential: spec.credentialSecretRef, ca: spec.caSecretRef, appKey: spec.githubApp?.privateKeySecretRef };
}

/** Reads the Secrets that a Repository names. */
export async function findRepositorySecrets(
  client: Pick<KubeClient, "find">,
  repository: Repository,
  signal?: AbortSignal,
): Promise<RepositorySecrets> {
  const { namespace } = repository.metadata;
  const find = async (ref: { name: string } | undefined): Promise<Secret | undefined> =>
    ref && client.find(secrets, { namespace, name: ref.name }, { signal });
  const refs = secretRefsOf(repository);
  const [credential, ca, appKey] = await Promise.all([find(refs.credential), find(refs.ca), find(refs.appKey)]);
  return { credential, ca, appKey };
}

/** What runtime and gateway need of one repository, or what of it or of its Secrets cannot be used and why. */
export function bundleRepository(
  repository: Repository,
  found: RepositorySecrets,
  github: GitHubConfig,
): Checked<FoundRepository> {
  const { url, branch, clone } = repository.spec;
  const allowed = checkGitHub(repository, github);
  if (!allowed.ok) return allowed;
  const credential = credentialOf(repository, found.credential);
  if (!credential.ok) return credential;
  const ca = certificatesOf(repository, found.ca);
  if (!ca.ok) return ca;
  const githubApp = githubAppOf(repository, found.appKey, ca.value);
  if (!githubApp.ok) return githubApp;
  const entry = {
    name: repository.metadata.name ?? "",
    url,
    branch,
    ...credential.value,
    ...present({ clone, mintsCredential: githubApp.value && (true as const), caCertificates: ca.value }),
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
