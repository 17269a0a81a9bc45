import { Buffer } from "node:buffer";
import type { BundleRepository, GitCredential } from "../api/runtime/bundle.ts";
import { reasons } from "../api/v1alpha1/reasons.ts";
import type { Repository } from "../api/v1alpha1/repository.ts";
import type { Secret } from "../kube/core-resources.ts";
import { keyText } from "../lib/resource.ts";
import { type Checked, checked, refused } from "./refusal.ts";

/** The Secrets that a Repository names, as they were found. */
export interface RepositorySecrets {
  credential: Secret | undefined;
  ca: Secret | undefined;
}

const credentialType = "kubernetes.io/basic-auth";

/** What code hosts take beside a token when they ask for a user name. */
const tokenUser = "x-access-token";

/** What the runtime needs of one repository, or which of its Secrets cannot be used and why. */
export function bundleRepository(repository: Repository, secrets: RepositorySecrets): Checked<BundleRepository> {
  const { url, branch } = repository.spec;
  const credential = credentialOf(repository, secrets.credential);
  if (!credential.ok) return credential;
  const ca = certificatesOf(repository, secrets.ca);
  if (!ca.ok) return ca;
  return checked({
    name: repository.metadata.name ?? "",
    url,
    branch,
    ...(credential.value === undefined ? {} : { credential: credential.value }),
    ...(ca.value === undefined ? {} : { caCertificates: ca.value }),
  });
}

function credentialOf({ metadata, spec }: Repository, secret: Secret | undefined): Checked<GitCredential | undefined> {
  const name = spec.credentialSecretRef?.name;
  if (name === undefined) return checked(undefined);
  const where = `Secret ${keyText({ ...metadata, name })}, the credential of Repository ${metadata.name ?? ""},`;
  if (!secret) return refused(reasons.secretNotFound, `${where} does not exist`);
  // Any other Secret was not made to be handed to a sandbox, whatever keys it happens to have.
  if (secret.type !== credentialType) {
    return refused(reasons.invalidSecret, `${where} is of type ${secret.type ?? ""} and not ${credentialType}`);
  }
  const password = textOf(secret, "password");
  if (password === undefined) return refused(reasons.invalidSecret, `${where} has no text under the key password`);
  return checked({ username: textOf(secret, "username") ?? tokenUser, password });
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

/** The value of one key; undefined when it is missing, empty or no UTF-8. A final line end is an editor's, not the value's. */
function textOf(secret: Secret, key: string): string | undefined {
  const encoded = secret.data?.[key];
  if (encoded === undefined) return undefined;
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(encoded, "base64"));
    return text.replace(/\r?\n$/, "") || undefined;
  } catch {
    return undefined;
  }
}
