import { describe, expect, it } from "vitest";
import { z } from "zod";

import { Agent } from "./agent.ts";
import { authorPolicies } from "./author-policies.ts";
import { defineKind, type Kind } from "./kind.ts";
import { kinds } from "./kinds.ts";
import { fieldsOf } from "./schema-fields.ts";
import { SecretName, secretNamed, ServiceAccountName } from "./schema.ts";

const users = { controller: "c", ingress: "i", gateway: "g", connector: "k" };

/** The fields that policies ask about, by resource. */
function askedAbout(of: readonly Kind[], right: string): Record<string, string[]> {
  const found: Record<string, string[]> = {};
  for (const { resources, validations } of authorPolicies(users, of)) {
    for (const validation of validations) {
      if (!validation.expression.includes(right)) continue;
      const [, path = ""] =
        /^'spec\.([\w.]+): /.exec("messageExpression" in validation ? validation.messageExpression : "") ?? [];
      for (const resource of resources) found[resource] = [...(found[resource] ?? []), path].sort();
    }
  }
  return found;
}
const secretsAskedAbout = (of: readonly Kind[]) =>
  askedAbout(of, "resource('secrets').namespace(object.metadata.namespace).name(");
const accountsAskedAbout = (of: readonly Kind[]) => askedAbout(of, "check('impersonate')");
const agentsAskedAbout = (of: readonly Kind[]) =>
  askedAbout(of, "resource('secrets').namespace(object.metadata.namespace).check(");

/** A kind that nobody has thought of in the policies. */
function planted(fields: z.ZodRawShape, isNamespaced = true): Kind {
  const source = { kind: "Planted", plural: "planteds", shortNames: [], description: "d", columns: [] };
  return defineKind({ ...source, namespaced: isNamespaced, spec: z.object(fields).describe("PlantedSpec.") }) as Kind;
}

describe("authors are asked about", () => {
  it("each Secret that a kind's spec names", () => {
    expect(secretsAskedAbout(kinds)).toEqual({
      automations: ["trigger.webhook.authentication.hmac.secretRef.name", "trigger.webhook.keyHashSecretRef.name"],
      environments: ["secretRef.name"],
      integrations: ["credentialsSecretRef.name", "signingSecretRef.name"],
      repositories: [
        "caSecretRef.name",
        "credentialSecretRef.name",
        "githubApp.privateKeySecretRef.name",
        "secretRef.name",
      ],
    });
  });

  it("each ServiceAccount", () => {
    expect(accountsAskedAbout(kinds)).toEqual({
      automations: ["serviceAccountName"],
      environments: ["prebuild.serviceAccountName"],
      integrations: ["serviceAccountName"],
      prebuiltimages: ["serviceAccountName"],
      repositories: ["prebuild.serviceAccountName"],
      sandboxpools: ["serviceAccountName"],
      sessions: ["serviceAccountName"],
    });
  });

  it("each agent", () => {
    expect(agentsAskedAbout(kinds)).toEqual({ automations: ["session.agent"], sessions: ["agent"] });
  });

  it("what a new field names, however deep and optional it is", () => {
    const deep = z.object({ tokenRef: secretNamed("d").describe("d").optional() }).prefault({});
    const kind = planted({
      deep: deep.describe("deep is deep."),
      tlsSecretName: SecretName.optional(),
      runAs: z.object({ account: ServiceAccountName.default("a") }).optional(),
      helper: Agent.nullable(),
    });
    expect(secretsAskedAbout([kind])).toEqual({ planteds: ["deep.tokenRef.name", "tlsSecretName"] });
    expect(accountsAskedAbout([kind])).toEqual({ planteds: ["runAs.account"] });
    expect(agentsAskedAbout([kind])).toEqual({ planteds: ["helper"] });
  });

  it("nothing of a kind without a namespace, which admins write", () => {
    expect(authorPolicies(users, [planted({ tlsSecretName: SecretName }, false)])).toEqual([]);
  });
});

it.each([
  { name: "a list", fields: { refs: z.array(secretNamed("d")) } },
  { name: "a map", fields: { refs: z.record(z.string(), z.object({ ref: secretNamed("d") })) } },
])("a Secret that is named in $name is a mistake, as no policy would ask about it", ({ fields }) => {
  expect(() => authorPolicies(users, [planted(fields)])).toThrow("Planted.spec.refs");
});

it("no field is called a Secret's without being asked about", () => {
  const asked = secretsAskedAbout(kinds);
  const called = kinds
    .filter(({ namespaced }) => namespaced)
    .flatMap(({ plural, spec }) => fieldsOf(spec).map(({ path }) => ({ plural, path: path.join(".") })))
    .filter(({ path }) => /secret\w*(ref|refs|name|names)(\.name)?$/i.test(path) && !path.endsWith("SecretRef.key"));
  const missing = called.filter(
    ({ plural, path }) => !(asked[plural] ?? []).some((one) => one === path || one === `${path}.name`),
  );
  expect(called.length).toBeGreaterThan(9);
  expect(missing).toEqual([]);
});

it("policies have names of their own", () => {
  const names = authorPolicies(users, kinds).map(({ name }) => name);
  expect(names).toHaveLength(new Set(names).size);
  expect(names.filter((name) => !/^[a-z-]+$/.test(name))).toEqual([]);
});
