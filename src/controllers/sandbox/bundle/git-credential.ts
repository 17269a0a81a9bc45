import type { BundleRepository } from "../../../api/runtime/bundle.ts";
import { isSshUrl } from "../../../api/v1alpha1/clone-url.ts";
import type { Repository } from "../../../api/v1alpha1/repository.ts";
import { reasons } from "../../../api/v1alpha1/reasons.ts";
import type { Secret } from "../../../kube/core-resources.ts";
import { keyText } from "../../../lib/resource.ts";
import { readPrivateKey } from "../../../lib/ssh-key.ts";
import { type Checked, checked, refused } from "../refusal.ts";
import { textOf } from "./secret-text.ts";

/** What code hosts take beside a token when they ask for a user name. */
const tokenUser = "x-access-token";

export type RepositoryCredential = Pick<BundleRepository, "credential" | "sshKey">;

/** What one form of credential is read as; a text says what is wrong with it. */
type Form = (secret: Secret) => RepositoryCredential | string;

/**
 * The forms of a credential by the Secret's type. Any other Secret was not made to be handed to a sandbox, whatever keys
 * it happens to have.
 */
const webForms: Readonly<Record<string, Form>> = {
  "kubernetes.io/basic-auth": (secret) => login(secret, "password") ?? "has no text under the key password",
  Opaque: (secret) => login(secret, "token") ?? "has no text under the key token, as one of type Opaque needs",
};
const sshForms: Readonly<Record<string, Form>> = { "kubernetes.io/ssh-auth": sshKey };

/** What `credentialSecretRef` gives the sandbox; empty when the Repository has none. */
export function credentialOf(repository: Repository, secret: Secret | undefined): Checked<RepositoryCredential> {
  const { metadata, spec } = repository;
  const name = spec.credentialSecretRef?.name;
  if (name === undefined) return checked({});
  const where = `Secret ${keyText({ ...metadata, name })}, the credential of Repository ${metadata.name ?? ""},`;
  if (!secret) return refused(reasons.secretNotFound, `${where} does not exist`);
  const found = readAs(secret, isSshUrl(spec.url));
  return typeof found === "string" ? refused(reasons.invalidSecret, `${where} ${found}`) : checked(found);
}

function readAs(secret: Secret, overSsh: boolean): RepositoryCredential | string {
  const forms = overSsh ? sshForms : webForms;
  const form = forms[secret.type ?? ""];
  if (form) return form(secret);
  const types = Object.keys(forms).join(" or ");
  const scheme = overSsh ? "an SSH" : "an https://";
  return `is of type ${secret.type ?? "unknown"}, and ${scheme} URL takes one of type ${types}`;
}

function login(secret: Secret, key: string): RepositoryCredential | undefined {
  const password = textOf(secret, key);
  return password === undefined
    ? undefined
    : { credential: { username: textOf(secret, "username") ?? tokenUser, password } };
}

function sshKey(secret: Secret): RepositoryCredential | string {
  const privateKey = textOf(secret, "ssh-privatekey");
  if (privateKey === undefined) return "has no text under the key ssh-privatekey";
  const key = readPrivateKey(privateKey);
  if (key === "encrypted") {
    return "has a private key with a passphrase, which cannot be entered, under the key ssh-privatekey";
  }
  if (key === "too long") return "has more than 16,384 characters under the key ssh-privatekey";
  if (key === "unreadable") {
    return "has no private key that can be read (one in OpenSSH's or PEM form is) under the key ssh-privatekey";
  }
  const knownHosts = textOf(secret, "known_hosts");
  if (knownHosts === undefined || !hostLine.test(knownHosts)) {
    return "has no line of a host and its key under the key known_hosts, as ssh-keyscan writes it";
  }
  return { sshKey: { privateKey, knownHosts } };
}

/** Host names, a key's type, the key; perhaps a marker before them. */
const hostLine = /^(@[a-z-]+ )?[^#\s]\S* [a-z0-9@.-]+ [A-Za-z0-9+/]+=*/m;
