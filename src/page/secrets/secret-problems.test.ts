import { expect, it } from "vitest";
import { keyCases, keysOfNoSecret, writeCases } from "../../../test/fixtures/secret-cases.ts";
import type { SecretForm } from "./secret-manifest.ts";
import { type SecretProblems, secretProblems } from "./secret-problems.ts";

const form: SecretForm = {
  use: "Variables",
  name: "checkout-env",
  namespace: "shop",
  scope: "repository",
  scopeName: "checkout",
  entries: [{ key: "A", value: "a" }],
  isStandardWebhooks: false,
  secret: "0123456789abcdef",
};
const of = (changed: Partial<SecretForm>): SecretProblems => secretProblems({ ...form, ...changed });
const all = ({ fields, entries }: SecretProblems): string[] =>
  [...Object.values(fields), ...entries.flatMap(({ key, value }) => [key, value])].filter((one) => one !== undefined);

const words = { malformed: "must be letters, digits", reserved: "reserved for the platform" } as const;

it.each(keyCases)("judges the key $key as the API server does: $refusal", ({ key, refusal }) => {
  const problem = of({ entries: [{ key, value: "v" }] }).entries[0]?.key;
  if (refusal === undefined) expect(problem).toBeUndefined();
  else expect(problem).toContain(words[refusal]);
});

it.each(keysOfNoSecret)("refuses the key %j, which Kubernetes refuses in every Secret", (key) => {
  expect(of({ entries: [{ key, value: "v" }] }).entries[0]?.key).toBeDefined();
});

it.each(writeCases.filter(({ holds }) => holds === undefined))(
  "judges $name as the API server does",
  ({ writes, refusal }) => {
    const found = all(of({ entries: Object.entries(writes).map(([key, value]) => ({ key, value })) }));
    expect(found.length > 0).toBe(refusal !== undefined);
    // The page does not know what is stored, and names the field by its place.
    const told = refusal?.replace(/^data(\[\w+\])?: /, "").replace(/; (it has|they have) \d+ now$/, "") ?? "";
    expect(found.join("; ")).toContain(told);
  },
);

it("names both of two keys that differ only in case, and one that is there twice", () => {
  const twins = of({ entries: ["foo", "BAR", "FOO", "BAR"].map((key) => ({ key, value: "" })) });
  expect(twins.entries.map(({ key }) => key !== undefined)).toEqual([true, true, true, true]);
});

it("refuses half of a surrogate pair", () => {
  expect(of({ entries: [{ key: "A", value: "\ud800" }] }).entries[0]?.value).toContain("surrogate");
  expect(all(of({ entries: [{ key: "A", value: "😀" }] }))).toEqual([]);
});

it.each<[Partial<SecretForm>, string[]]>([
  [{}, []],
  [{ name: "a.b" }, []],
  [{ name: "a".repeat(253) }, []],
  [{ name: "a".repeat(254) }, ["name"]],
  [{ name: "A" }, ["name"]],
  [{ name: "" }, ["name"]],
  [{ scope: "global", name: "A" }, []],
  [{ scope: "global", scopeName: "" }, []],
  [{ scopeName: "" }, ["scopeName"]],
  [{ scopeName: "s".repeat(63) }, []],
  [{ scopeName: "s".repeat(64) }, ["scopeName"]],
  [{ scope: "environment", scopeName: "a.b" }, ["scopeName"]],
  [{ namespace: "" }, []],
  [{ namespace: "a.b" }, ["namespace"]],
  [{ use: "SigningSecret" }, []],
  [{ use: "SigningSecret", scope: "global", name: "A" }, ["name"]],
  [{ use: "SigningSecret", scopeName: "", entries: [{ key: "PATH", value: "" }] }, []],
  [{ use: "SigningSecret", secret: "s".repeat(15) }, ["secret"]],
  [{ use: "SigningSecret", secret: "s".repeat(16) }, []],
  [{ use: "SigningSecret", secret: "s".repeat(256) }, []],
  [{ use: "SigningSecret", secret: "s".repeat(257) }, ["secret"]],
  [{ use: "SigningSecret", secret: "with a blank inside" }, ["secret"]],
  [{ use: "SigningSecret", isStandardWebhooks: true }, ["secret"]],
  [{ use: "SigningSecret", isStandardWebhooks: true, secret: `whsec_${"A".repeat(31)}` }, ["secret"]],
  [{ use: "SigningSecret", isStandardWebhooks: true, secret: `whsec_${"A".repeat(32)}` }, []],
  [{ use: "SigningSecret", isStandardWebhooks: true, secret: `whsec_${"A".repeat(86)}==` }, []],
  [{ use: "SigningSecret", isStandardWebhooks: true, secret: `whsec_${"A".repeat(87)}=` }, ["secret"]],
  [{ use: "Token", isStandardWebhooks: true }, []],
  [{ use: "Token", secret: "short" }, ["secret"]],
  [{ use: "Token", secret: "ключ-ключ-ключ-ключ" }, ["secret"]],
])("of %j refuses %j", (changed, want) => {
  const problems = of(changed);
  expect(Object.keys(problems.fields)).toEqual(want);
  expect(problems.entries.flatMap(({ key, value }) => [key, value]).filter((one) => one !== undefined)).toEqual([]);
});
