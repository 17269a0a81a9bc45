import { Buffer } from "node:buffer";
import { generateKeyPairSync } from "node:crypto";
import { expect, it } from "vitest";

import { sshKeyPair } from "../../../../test/support/ssh-key-pair.ts";
import type { Repository } from "../../../api/v1alpha1/repository.ts";
import type { Secret } from "../../../kube/core-resources.ts";
import { bundleRepository, type RepositorySecrets } from "./bundle-repository.ts";

function aRepository(spec: Partial<Repository["spec"]> = {}): Repository {
  return {
    metadata: { name: "checkout", namespace: "shop" },
    spec: { url: "https://git.example.com/checkout.git", branch: "main", ...spec },
  };
}

function aSecret(data: Record<string, string | Uint8Array>, type = "kubernetes.io/basic-auth"): Secret {
  const encoded = Object.entries(data).map(([key, value]) => [key, Buffer.from(value as string).toString("base64")]);
  return { metadata: { name: "s" }, type, data: Object.fromEntries(encoded) as Record<string, string> };
}

const none = { credential: undefined, ca: undefined, appKey: undefined };
const github = { apiURLs: ["https://api.github.com", "https://github.example.com/api/v3"] };
const bundled = (repository: Repository, found: RepositorySecrets) => bundleRepository(repository, found, github);
const credentialSecretRef = { name: "git" };
const caSecretRef = { name: "ca" };
const pem = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----";

it("needs no Secret for a public repository", () => {
  expect(bundled(aRepository(), none)).toEqual({
    ok: true,
    value: {
      entry: { name: "checkout", url: "https://git.example.com/checkout.git", branch: "main" },
      githubApp: undefined,
    },
  });
});

it.each([
  ["user and password", { username: "me", password: "pw" }, { username: "me", password: "pw" }],
  ["a token alone", { password: "token" }, { username: "x-access-token", password: "token" }],
  ["an empty user", { username: "", password: "pw" }, { username: "x-access-token", password: "pw" }],
  ["a final line end", { username: "me\n", password: "pw\r\n" }, { username: "me", password: "pw" }],
  ["inner blanks", { username: "me", password: " p w " }, { username: "me", password: " p w " }],
])("takes a credential with %s", (_name, data, want) => {
  const found = bundled(aRepository({ credentialSecretRef }), { ...none, credential: aSecret(data) });
  expect(found).toMatchObject({ ok: true, value: { entry: { credential: want } } });
});

it.each([
  ["alone", { token: "t\n" }, { username: "x-access-token", password: "t" }],
  ["with a user", { token: "t", username: "oauth2" }, { username: "oauth2", password: "t" }],
])("takes a token of an Opaque Secret %s", (_name, data, want) => {
  const credential = aSecret(data, "Opaque");
  const found = bundled(aRepository({ credentialSecretRef }), { ...none, credential });
  expect(found).toMatchObject({ ok: true, value: { entry: { credential: want } } });
});

it.each([
  ["a missing credential", undefined, undefined, "SecretNotFound", "Secret shop/git"],
  [
    "a Secret that happens to have a password",
    aSecret({ password: "pw" }, "kubernetes.io/tls"),
    undefined,
    "InvalidSecret",
    "Secret shop/git, the credential of Repository checkout, is of type kubernetes.io/tls, and an https:// URL takes one of type kubernetes.io/basic-auth or Opaque",
  ],
  [
    "an SSH key for an https:// URL",
    aSecret({ "ssh-privatekey": "pw" }, "kubernetes.io/ssh-auth"),
    undefined,
    "InvalidSecret",
    "is of type kubernetes.io/ssh-auth, and an https:// URL takes one",
  ],
  [
    "an Opaque Secret without token",
    aSecret({ password: "pw" }, "Opaque"),
    undefined,
    "InvalidSecret",
    "has no text under the key token, as one of type Opaque needs",
  ],
  [
    "a Secret that tells no type",
    { metadata: {}, data: aSecret({ password: "pw" }).data ?? {} },
    undefined,
    "InvalidSecret",
    "is of type unknown, and an https:// URL takes one of type kubernetes.io/basic-auth or Opaque",
  ],
  [
    "a credential without password",
    aSecret({ username: "me" }),
    aSecret({ "ca.crt": pem }),
    "InvalidSecret",
    "key password",
  ],
  ["an empty password", aSecret({ password: "" }), aSecret({ "ca.crt": pem }), "InvalidSecret", "key password"],
  [
    "a password that is no text",
    aSecret({ password: Uint8Array.of(0xff) }),
    aSecret({ "ca.crt": pem }),
    "InvalidSecret",
    "Secret shop/git",
  ],
  ["a missing authority", aSecret({ password: "pw" }), undefined, "SecretNotFound", "Secret shop/ca"],
  [
    "an authority that is no PEM",
    aSecret({ password: "pw" }),
    aSecret({ "ca.crt": "x" }),
    "InvalidSecret",
    "key ca.crt",
  ],
])("refuses %s and names it", (_name, credential, ca, reason, named) => {
  const found = bundled(aRepository({ credentialSecretRef, caSecretRef }), { ...none, credential, ca });
  expect(found).toMatchObject({ ok: false, refusal: { reason, message: expect.stringContaining(named) as string } });
  expect(JSON.stringify(found)).not.toContain("pw");
});

it("hands the authorities over", () => {
  const found = bundled(aRepository({ caSecretRef }), { ...none, ca: aSecret({ "ca.crt": pem }) });
  expect(found).toMatchObject({ ok: true, value: { entry: { caCertificates: pem } } });
});

const pair = sshKeyPair();
const sshUrls = ["ssh://git@git.example.com/checkout.git", "git@git.example.com:checkout.git"];
const knownHosts = `# comes from ssh-keyscan\n[git.example.com]:22 ${pair.public}\n`;
const sshSecret = (data: Record<string, string>, type = "kubernetes.io/ssh-auth"): Secret =>
  aSecret({ "ssh-privatekey": pair.private, known_hosts: knownHosts, ...data }, type);

it.each(sshUrls)("takes an SSH key with its known hosts for %s", (url) => {
  const found = bundled(aRepository({ url, credentialSecretRef }), { ...none, credential: sshSecret({}) });
  const sshKey = { privateKey: pair.private.trimEnd(), knownHosts: knownHosts.trimEnd() };
  expect(found).toMatchObject({ ok: true, value: { entry: { sshKey } } });
});

it.each([
  ["no key", sshSecret({ "ssh-privatekey": "" }), "has no text under the key ssh-privatekey"],
  ["a key that is none", sshSecret({ "ssh-privatekey": "planted" }), "no private key that can be read"],
  ["a public key", sshSecret({ "ssh-privatekey": pair.public }), "no private key that can be read"],
  [
    "a key with a passphrase",
    sshSecret({
      "ssh-privatekey": sshKeyPair("planted").private,
    }),
    "has a private key with a passphrase, which nobody could enter, under the key ssh-privatekey",
  ],
  ["no known hosts", sshSecret({ known_hosts: "" }), "under the key known_hosts"],
  ["known hosts of nothing", sshSecret({ known_hosts: "# none\n" }), "under the key known_hosts"],
  [
    "another type",
    sshSecret({}, "Opaque"),
    "is of type Opaque, and an SSH URL takes one of type kubernetes.io/ssh-auth",
  ],
])("refuses an SSH Secret with %s and says so", (_name, credential, says) => {
  const found = bundled(aRepository({ url: sshUrls[0]!, credentialSecretRef }), { ...none, credential });
  const refusal = { reason: "InvalidSecret", message: expect.stringContaining(says) as string };
  expect(found).toMatchObject({ ok: false, refusal });
  expect(JSON.stringify(found)).not.toMatch(/planted|PRIVATE|AAAA/);
});

const appKey = (type: "rsa" | "ec"): string =>
  (type === "rsa"
    ? generateKeyPairSync("rsa", { modulusLength: 2048 })
    : generateKeyPairSync("ec", { namedCurve: "P-256" })
  ).privateKey
    .export({ type: "pkcs8", format: "pem" })
    .toString();
const githubApp: NonNullable<Repository["spec"]["githubApp"]> = {
  appID: 12,
  installationID: 345,
  privateKeySecretRef: { name: "app", key: "githubAppPrivateKey" },
  permissions: { contents: "write" },
  apiURL: "https://api.github.com",
};
const ofGitHub = aRepository({ url: "https://github.com/acme/checkout.git", githubApp });

it("hands a GitHub App's key to the gateway and to nobody else", () => {
  const privateKey = appKey("rsa");
  const found = bundled(ofGitHub, { ...none, appKey: aSecret({ githubAppPrivateKey: privateKey }, "Opaque") });
  const { appID, installationID, permissions, apiURL } = githubApp;
  expect(found).toEqual({
    ok: true,
    value: {
      entry: { name: "checkout", url: ofGitHub.spec.url, branch: "main", mintsCredential: true },
      githubApp: {
        name: "checkout",
        owner: "acme",
        repository: "checkout",
        appID,
        installationID,
        permissions,
        apiURL,
        privateKey,
      },
    },
  });
});

it.each([
  ["the first API that the gateway speaks to", "https://api.github.com", true],
  ["another one", "https://github.example.com/api/v3", true],
  ["one that it does not speak to", "https://github.other.com/api/v3", false],
  ["one that begins like one", "https://github.example.com/api/v3x", false],
])("judges a GitHub App of %s", (_name, apiURL, isAllowed) => {
  const repository = aRepository({ url: ofGitHub.spec.url, githubApp: { ...githubApp, apiURL } });
  const found = bundled(repository, { ...none, appKey: aSecret({ githubAppPrivateKey: appKey("rsa") }, "Opaque") });
  const message =
    `Repository shop/checkout: spec.githubApp.apiURL ${apiURL} is not allowed: this installation speaks to ` +
    "https://api.github.com, https://github.example.com/api/v3 alone (chart value gateway.githubAPIURLs)";
  const refusal = { reason: "InvalidSpec", message: expect.stringContaining(message) as string };
  expect(found).toMatchObject(isAllowed ? { ok: true, value: { githubApp: { apiURL } } } : { ok: false, refusal });
});

it.each([
  [
    "a missing key",
    undefined,
    "SecretNotFound",
    "Secret shop/app, the key of Repository checkout's GitHub App, does not exist",
  ],
  [
    "a key under another name",
    aSecret({ key: "planted" }, "Opaque"),
    "InvalidSecret",
    "under the key githubAppPrivateKey",
  ],
  [
    "a key that is not RSA",
    aSecret({ githubAppPrivateKey: appKey("ec") }, "Opaque"),
    "InvalidSecret",
    "no private RSA key",
  ],
  ["a key that is none", aSecret({ githubAppPrivateKey: "planted" }, "Opaque"), "InvalidSecret", "no private RSA key"],
])("refuses %s of a GitHub App", (_name, key, reason, says) => {
  const found = bundled(ofGitHub, { ...none, appKey: key });
  expect(found).toMatchObject({ ok: false, refusal: { reason, message: expect.stringContaining(says) as string } });
  expect(JSON.stringify(found)).not.toMatch(/planted|BEGIN/);
});
