import { expect, it } from "vitest";
import { parse } from "yaml";
import { type SecretForm, secretManifest, shownSecretManifest, withoutSecrets } from "./secret-manifest.ts";

const form: SecretForm = {
  use: "Variables",
  name: "checkout-env",
  namespace: "shop",
  scope: "repository",
  scopeName: "checkout",
  entries: [
    { key: "URL", value: "postgres://a:b@c/d\n# no comment" },
    { key: "COUNT", value: "03" },
    { key: "NO", value: "no" },
    { key: "__proto__", value: "kept" },
  ],
  isStandardWebhooks: false,
  secret: "whsec-not-shown-1",
};

const written = async (changed: Partial<SecretForm> = {}): Promise<unknown> =>
  parse(await secretManifest({ ...form, ...changed }));

it("writes variables as texts, for the scope that gets them", async () => {
  expect(await secretManifest(form)).toBe(`apiVersion: v1
kind: Secret
metadata:
  name: checkout-env
  namespace: shop
  labels:
    runwright.dev/secret-scope: repository
    runwright.dev/scope-name: checkout
stringData:
  URL: |-
    postgres://a:b@c/d
    # no comment
  COUNT: "03"
  "NO": "no"
  __proto__: kept
`);
});

it("writes the global one under its name, whatever was typed before", async () => {
  expect(await written({ scope: "global", entries: [] })).toMatchObject({
    metadata: { name: "runwright-global", labels: { "runwright.dev/secret-scope": "global" } },
  });
  expect(await secretManifest({ ...form, scope: "global" })).not.toContain("scope-name");
});

it("writes a signing secret as it is, and of a token the hash", async () => {
  expect(await written({ use: "SigningSecret" })).toEqual({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "checkout-env", namespace: "shop" },
    stringData: { "signing-secret": "whsec-not-shown-1" },
  });
  const token = await secretManifest({ ...form, use: "Token", namespace: "", secret: "abc" });
  expect(parse(token)).toEqual({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "checkout-env" },
    stringData: { sha256: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
  });
  expect(token).not.toContain("abc\n");
});

it.each(["Variables", "SigningSecret", "Token"] as const)("shows nothing secret of %s", (use) => {
  const shown = shownSecretManifest({ ...form, use });
  for (const value of ["postgres", "03", "kept", "not-shown"]) expect(shown).not.toContain(value);
  expect(shown).toContain('"***"');
});

it("forgets what is secret and nothing else", () => {
  const { entries, secret, ...rest } = withoutSecrets(form);
  expect([entries.map(({ key, value }) => [key, value]), secret]).toEqual([
    [
      ["URL", ""],
      ["COUNT", ""],
      ["NO", ""],
      ["__proto__", ""],
    ],
    "",
  ]);
  expect(rest).toEqual({
    use: "Variables",
    name: "checkout-env",
    namespace: "shop",
    scope: "repository",
    scopeName: "checkout",
    isStandardWebhooks: false,
  });
});
