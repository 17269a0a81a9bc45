import { generateKeyPairSync } from "node:crypto";
import { expect, it } from "vitest";

import { aRepository, aSecret } from "../../../../test/support/builders.ts";
import { sshKeyPair } from "../../../../test/support/ssh-key-pair.ts";
import type { Repository } from "../../../api/v1alpha1/repository.ts";
import type { Secret } from "../../../kube/core-resources.ts";
import { bundleRepository, type RepositorySecrets } from "./bundle-repository.ts";

const checkout = (spec: Partial<Repository["spec"]> = {}): Repository =>
  aRepository("checkout", { metadata: { name: "checkout", namespace: "shop" }, spec });
const credentials = (data: Record<string, string | Uint8Array>, type = "kubernetes.io/basic-auth"): Secret =>
  aSecret(data, { name: "s", type });

const none = { credential: undefined, ca: undefined, appKey: undefined };
const github = { apiURLs: ["https://api.github.com", "https://github.example.com/api/v3"] };
const bundled = (repository: Repository, found: RepositorySecrets) => bundleRepository(repository, found, github);
const credentialSecretRef = { name: "git" };
const caSecretRef = { name: "ca" };
const pem = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----";

it("needs no Secret for a public repository", () => {
  expect(bundled(checkout(), none)).toEqual({
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
  const found = bundled(checkout({ credentialSecretRef }), { ...none, credential: credentials(data) });
  expect(found).toMatchObject({ ok: true, value: { entry: { credential: want } } });
});

it.each([
  ["alone", { token: "t\n" }, { username: "x-access-token", password: "t" }],
  ["with a user", { token: "t", username: "oauth2" }, { username: "oauth2", password: "t" }],
])("takes a token of an Opaque Secret %s", (_name, data, want) => {
  const credential = credentials(data, "Opaque");
  const found = bundled(checkout({ credentialSecretRef }), { ...none, credential });
  expect(found).toMatchObject({ ok: true, value: { entry: { credential: want } } });
});

it.each([
  ["a missing credential", undefined, undefined, "SecretNotFound", "Secret shop/git"],
  [
    "a Secret that happens to have a password",
    credentials({ password: "pw" }, "kubernetes.io/tls"),
    undefined,
    "InvalidSecret",
    "Secret shop/git, the credential of Repository checkout, is of type kubernetes.io/tls, and an https:// URL takes one of type kubernetes.io/basic-auth or Opaque",
  ],
  [
    "an SSH key for an https:// URL",
    credentials({ "ssh-privatekey": "pw" }, "kubernetes.io/ssh-auth"),
    undefined,
    "InvalidSecret",
    "is of type kubernetes.io/ssh-auth, and an https:// URL takes one",
  ],
  [
    "an Opaque Secret without token",
    credentials({ password: "pw" }, "Opaque"),
    undefined,
    "InvalidSecret",
    "has no text under the key token, as one of type Opaque needs",
  ],
  [
    "a Secret that tells no type",
    aSecret({ password: "pw" }, {}),
    undefined,
    "InvalidSecret",
    "is of type unknown, and an https:// URL takes one of type kubernetes.io/basic-auth or Opaque",
  ],
  [
    "a credential without password",
    credentials({ username: "me" }),
    credentials({ "ca.crt": pem }),
    "InvalidSecret",
    "key password",
  ],
  ["an empty password", credentials({ password: "" }), credentials({ "ca.crt": pem }), "InvalidSecret", "key password"],
  [
    "a password that is no text",
    credentials({ password: Uint8Array.of(0xff) }),
    credentials({ "ca.crt": pem }),
    "InvalidSecret",
    "Secret shop/git",
  ],
  ["a missing authority", credentials({ password: "pw" }), undefined, "SecretNotFound", "Secret shop/ca"],
  [
    "an authority that is no PEM",
    credentials({ password: "pw" }),
    credentials({ "ca.crt": "x" }),
    "InvalidSecret",
    "key ca.crt",
  ],
])("refuses %s and names it", (_name, credential, ca, reason, named) => {
  const found = bundled(checkout({ credentialSecretRef, caSecretRef }), { ...none, credential, ca });
  expect(found).toMatchObject({ ok: false, refusal: { reason, message: expect.stringContaining(named) as string } });
  expect(JSON.stringify(found)).not.toContain("pw");
});

it("hands the authorities over", () => {
  const found = bundled(checkout({ caSecretRef }), { ...none, ca: credentials({ "ca.crt": pem }) });
  expect(found).toMatchObject({ ok: true, value: { entry: { caCertificates: pem } } });
});

const pair = sshKeyPair();
const sshUrls = ["ssh://git@git.example.com/checkout.git", "git@git.example.com:checkout.git"];
const knownHosts = `# comes from ssh-keyscan\n[git.example.com]:22 ${pair.public}\n`;
const sshSecret = (data: Record<string, string>, type = "kubernetes.io/ssh-auth"): Secret =>
  credentials({ "ssh-privatekey": pair.private, known_hosts: knownHosts, ...data }, type);

it.each(sshUrls)("takes an SSH key with its known hosts for %s", (url) => {
  const found = bundled(checkout({ url, credentialSecretRef }), { ...none, credential: sshSecret({}) });
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
    "has a private key with a passphrase, which cannot be entered, under the key ssh-privatekey",
  ],
  [
    "a key of more than 16,384 characters",
    sshSecret({ "ssh-privatekey": `${pair.private.trimEnd()}${" ".repeat(16_384)}-` }),
    "has more than 16,384 characters under the key ssh-privatekey",
  ],
  ["no known hosts", sshSecret({ known_hosts: "" }), "under the key known_hosts"],
  ["known hosts of nothing", sshSecret({ known_hosts: "# none\n" }), "under the key known_hosts"],
  [
    "another type",
    sshSecret({}, "Opaque"),
    "is of type Opaque, and an SSH URL takes one of type kubernetes.io/ssh-auth",
  ],
])("refuses an SSH Secret with %s and says so", (_name, credential, says) => {
  const found = bundled(checkout({ url: sshUrls[0]!, credentialSecretRef }), { ...none, credential });
  const refusal = { reason: "InvalidSecret", message: expect.stringContaining(says) as string };
  expect(found).toMatchObject({ ok: false, refusal });
  expect(JSON.stringify(found)).not.toMatch(/planted|PRIVATE|AAAA/);
});

const appKey = (type: "rsa" | "ec", modulusLength = 2_048): string =>
  (type === "rsa"
    ? generateKeyPairSync("rsa", { modulusLength })
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
const ofGitHub = checkout({ url: "https://github.com/acme/checkout.git", githubApp });

it("hands a GitHub App's key to the gateway alone", () => {
  const privateKey = appKey("rsa");
  const found = bundled(ofGitHub, { ...none, appKey: credentials({ githubAppPrivateKey: privateKey }, "Opaque") });
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
  ["the first in other letters", "https://API.GitHub.com:443", true],
  ["another one", "https://github.example.com/api/v3", true],
  ["another one in another case", "https://github.example.com/API/v3", false],
  ["one that it does not speak to", "https://github.other.com/api/v3", false],
  ["one that begins like one", "https://github.example.com/api/v3x", false],
])("judges a GitHub App of %s", (_name, apiURL, isAllowed) => {
  const repository = checkout({ url: ofGitHub.spec.url, githubApp: { ...githubApp, apiURL } });
  const found = bundled(repository, { ...none, appKey: credentials({ githubAppPrivateKey: appKey("rsa") }, "Opaque") });
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
    credentials({ key: "planted" }, "Opaque"),
    "InvalidSecret",
    "under the key githubAppPrivateKey",
  ],
  [
    "a key that is not RSA",
    credentials({ githubAppPrivateKey: appKey("ec") }, "Opaque"),
    "InvalidSecret",
    "is no private RSA key in PEM form",
  ],
  [
    "a key that is too small",
    credentials({ githubAppPrivateKey: appKey("rsa", 1_024) }, "Opaque"),
    "InvalidSecret",
    "GitHub App, is an RSA key of 1,024 bits; those of 2,048 to 8,192 bits are taken, under the key githubAppPrivateKey",
  ],
  [
    "a key that is none",
    credentials({ githubAppPrivateKey: "planted" }, "Opaque"),
    "InvalidSecret",
    "is no private RSA key in PEM form",
  ],
])("refuses %s of a GitHub App", (_name, key, reason, says) => {
  const found = bundled(ofGitHub, { ...none, appKey: key });
  expect(found).toMatchObject({ ok: false, refusal: { reason, message: expect.stringContaining(says) as string } });
  expect(JSON.stringify(found)).not.toMatch(/planted|BEGIN/);
});
