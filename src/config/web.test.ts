import { expect, it } from "vitest";
import { readWebConfig } from "./web.ts";

const provider = {
  RUNWRIGHT_WEB_OIDC_ISSUER: "https://id.example.com",
  RUNWRIGHT_WEB_OIDC_CLIENT_ID: "page",
  RUNWRIGHT_WEB_URL: "https://runwright.example.com",
};

it("takes tokens where nothing else is said", () => {
  expect(readWebConfig({})).toMatchObject({ port: 8080, takesTokens: true, provider: undefined, namespace: "" });
});

it.each([
  [
    "no way to sign in",
    { RUNWRIGHT_WEB_TOKEN_SIGN_IN: "false" },
    /RUNWRIGHT_WEB_TOKEN_SIGN_IN.*people must be able to sign in/,
  ],
  [
    "a provider over plain HTTP",
    { ...provider, RUNWRIGHT_WEB_OIDC_ISSUER: "http://id" },
    /RUNWRIGHT_WEB_OIDC_ISSUER.*https/,
  ],
  ["a provider without a client", { ...provider, RUNWRIGHT_WEB_OIDC_CLIENT_ID: "" }, /RUNWRIGHT_WEB_OIDC_CLIENT_ID/],
  ["a provider without an address of the page", { ...provider, RUNWRIGHT_WEB_URL: "" }, /RUNWRIGHT_WEB_URL/],
  ["a gateway over plain HTTP", { RUNWRIGHT_WEB_GATEWAY_URL: "http://gateway" }, /RUNWRIGHT_WEB_GATEWAY_URL.*https/],
  ["a relative path", { RUNWRIGHT_WEB_GATEWAY_CA_FILE: "ca.crt" }, /RUNWRIGHT_WEB_GATEWAY_CA_FILE.*absolute/],
  ["a namespace that cannot be one", { RUNWRIGHT_WEB_NAMESPACE: "A" }, /RUNWRIGHT_WEB_NAMESPACE/],
])("refuses %s", (_, environment, message) => {
  expect(() => readWebConfig(environment)).toThrow(message);
});
