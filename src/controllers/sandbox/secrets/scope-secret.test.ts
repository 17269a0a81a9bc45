import { Buffer } from "node:buffer";
import { describe, expect, it } from "vitest";
import { keyCases } from "../../../../test/fixtures/secret-cases.ts";
import { aSecret } from "../../../../test/support/builders.ts";
import { scopeLabels } from "../../../api/v1alpha1/secret-scopes.ts";
import type { Secret } from "../../../kube/core-resources.ts";
import { readScope, scopeSources, type SecretValue } from "./scope-secret.ts";
import { sessionSecrets } from "./merge.ts";

const source = { kind: "repository", name: "shop", secretName: "shop-env" } as const;
const global = { kind: "global", name: "", secretName: "runwright-global" } as const;

const scopeSecret = (data: Record<string, string | Uint8Array>, labels = scopeLabels("repository", "shop")): Secret =>
  aSecret(data, { name: "shop-env", labels });

describe("whose secrets a session gets, weakest first,", () => {
  const web = { name: "web", secretRef: { name: "web-env" } };
  const api = { name: "api", secretRef: { name: "api-env" } };

  it.each([
    ["only the namespace's without a target", {}, []],
    ["the Repository's", { repositories: [web] }, ["web-env"]],
    ["the first Repository's over the others'", { repositories: [web, api] }, ["api-env", "web-env"]],
    ["only those of Repositories that name a Secret", { repositories: [{ name: "bare" }, api] }, ["api-env"]],
    ["the Environment's in place of its Repositories'", { repositories: [web], environment: api }, ["api-env"]],
  ])("are %s", (_, target, want) => {
    expect(scopeSources(target).map(({ secretName }) => secretName)).toEqual(["runwright-global", ...want]);
  });
});

describe("a scope's Secret", () => {
  it("has its values as they are, byte for byte", () => {
    const value = "\ufeff$(HOME) `x` \"é\" 'y'\r\n";
    const want = { key: "A", bytes: Buffer.byteLength(value), value };
    expect(readScope(source, scopeSecret({ A: value, B: "" }), "ns")).toEqual({
      ok: true,
      value: { label: "repository shop", entries: [want, { key: "B", bytes: 0, value: "" }] },
    });
  });

  it("need not be there for the namespace, and must be for a target", () => {
    expect(readScope(global, undefined, "ns")).toEqual({ ok: true, value: { label: "global", entries: [] } });
    expect(readScope(source, undefined, "ns")).toMatchObject({
      refusal: {
        reason: "SecretNotFound",
        message: "Secret ns/shop-env, the secrets of repository shop, does not exist. Create it.",
      },
    });
  });

  it.each([
    ["is not labelled", {}, "runwright.dev/secret-scope: repository"],
    ["is another scope's", scopeLabels("environment", "shop"), "runwright.dev/secret-scope: repository"],
    ["is another Repository's", scopeLabels("repository", "other"), "runwright.dev/scope-name: shop"],
  ])("is refused when it %s", (_, labels, lacking) => {
    const read = readScope(source, scopeSecret({ A: "planted" }, labels), "ns");
    expect(read).toMatchObject({ refusal: { reason: "InvalidSecret" } });
    expect(JSON.stringify(read)).toContain(`has no label ${lacking}`);
    expect(JSON.stringify(read)).not.toContain("planted");
  });

  it.each([
    ["U+0000", "a\0b"],
    ["half of a surrogate pair", Uint8Array.of(0xed, 0xa0, 0x80)],
    ["bytes that are no text", Uint8Array.of(0xff)],
  ])("is refused with %s", (_, value) => {
    const message = expect.stringContaining("holds under A what is no UTF-8 text or has U+0000") as string;
    expect(readScope(source, scopeSecret({ A: value }), "ns")).toMatchObject({ refusal: { message } });
  });
});

describe("the controller judges what the API server may have let pass", () => {
  it.each(keyCases)("$key: $refusal", ({ key, refusal }) => {
    const read = readScope(source, scopeSecret({ [key]: "v" }), "ns");
    if (!read.ok) throw new Error("the values can be read");
    expect(sessionSecrets<SecretValue>([read.value]).ok).toBe(refusal === undefined);
  });

  it("and says what is too large together before what is too large alone", () => {
    const scopes = ["global", "repository shop"].map((label) => ({
      label,
      entries: [{ key: label[0] ?? "", bytes: 70_000 }],
    }));
    expect(sessionSecrets(scopes)).toMatchObject({ refusal: { reason: "SecretsTooLarge" } });
    expect(sessionSecrets(scopes.slice(1))).toMatchObject({ refusal: { reason: "InvalidSecret" } });
  });
});
