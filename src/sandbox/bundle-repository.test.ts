import { Buffer } from "node:buffer";
import { expect, it } from "vitest";
import type { Repository } from "../api/v1alpha1/repository.ts";
import type { Secret } from "../kube/core-resources.ts";
import { bundleRepository } from "./bundle-repository.ts";

function aRepository(spec: Partial<Repository["spec"]> = {}): Repository {
  return {
    metadata: { name: "checkout", namespace: "shop" },
    spec: { url: "https://git.example.com/checkout.git", branch: "main", ...spec },
  };
}

function aSecret(data: Record<string, string | Uint8Array>): Secret {
  const encoded = Object.entries(data).map(([key, value]) => [key, Buffer.from(value as string).toString("base64")]);
  const type = "kubernetes.io/basic-auth";
  return { metadata: { name: "s" }, type, data: Object.fromEntries(encoded) as Record<string, string> };
}

const credentialSecretRef = { name: "git" };
const caSecretRef = { name: "ca" };
const pem = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----";

it("needs no Secret for a public repository", () => {
  expect(bundleRepository(aRepository(), { credential: undefined, ca: undefined })).toEqual({
    ok: true,
    value: { name: "checkout", url: "https://git.example.com/checkout.git", branch: "main" },
  });
});

it.each([
  ["user and password", { username: "me", password: "pw" }, { username: "me", password: "pw" }],
  ["a token alone", { password: "token" }, { username: "x-access-token", password: "token" }],
  ["an empty user", { username: "", password: "pw" }, { username: "x-access-token", password: "pw" }],
  ["a final line end", { username: "me\n", password: "pw\r\n" }, { username: "me", password: "pw" }],
  ["inner blanks", { username: "me", password: " p w " }, { username: "me", password: " p w " }],
])("takes a credential with %s", (_name, data, want) => {
  const found = bundleRepository(aRepository({ credentialSecretRef }), { credential: aSecret(data), ca: undefined });
  expect(found).toMatchObject({ ok: true, value: { credential: want } });
});

it.each([
  ["a missing credential", undefined, undefined, "SecretNotFound", "Secret shop/git"],
  [
    "a Secret that happens to have a password",
    { ...aSecret({ password: "pw" }), type: "Opaque" },
    undefined,
    "InvalidSecret",
    "Secret shop/git, the credential of Repository checkout, is of type Opaque and not kubernetes.io/basic-auth",
  ],
  [
    "a Secret that tells no type",
    { metadata: {}, data: aSecret({ password: "pw" }).data ?? {} },
    undefined,
    "InvalidSecret",
    "and not kubernetes.io/basic-auth",
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
  const found = bundleRepository(aRepository({ credentialSecretRef, caSecretRef }), { credential, ca });
  expect(found).toMatchObject({ ok: false, refusal: { reason, message: expect.stringContaining(named) as string } });
  expect(JSON.stringify(found)).not.toContain("pw");
});

it("hands the authorities over", () => {
  const found = bundleRepository(aRepository({ caSecretRef }), {
    credential: undefined,
    ca: aSecret({ "ca.crt": pem }),
  });
  expect(found).toMatchObject({ ok: true, value: { caCertificates: pem } });
});
