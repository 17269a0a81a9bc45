import { describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { action, chartDocuments, chartLabels, chartTemplate } from "./chart.ts";
import { policiesManifest, policiesTemplate } from "./policies.ts";
import { clusterRoleOf, rolesOf, watchedRoleOf } from "./roles.ts";

/** Puts values where a release that watches all namespaces would, as far as the generated templates use them. */
function rendered(template: string): unknown[] {
  const text = template
    .replaceAll(/^ *\{\{- include "runwright.labels" .*$/gm, "    app: x")
    .replaceAll(/^ *\{\{- with \$\.Values\.watchNamespaces \}\}\n[^]*?\{\{- end \}\}\n/gm, "")
    .replaceAll(/^\{\{- (if .*|end) \}\}$/gm, "")
    .replaceAll('{{ include "runwright.clusterName" $ }}', "ns-rel")
    .replaceAll('{{ include "runwright.keysNamespace" $ }}', "ns-rel-keys")
    .replaceAll('{{ include "runwright.sessionsNamespace" $ }}', "ns-rel-sessions")
    .replaceAll('{{ include "runwright.tokensNamespace" $ }}', "ns-rel-tokens")
    .replaceAll("{{ $.Release.Name }}", "rel")
    .replaceAll("{{ $.Release.Namespace }}", "ns");
  expect(text).not.toContain("{{");
  return parseAllDocuments(text).map((document) => document.toJS() as unknown);
}

describe("a template", () => {
  it("has the chart's labels and values", () => {
    const name = `${action.clusterName}-a`;
    expect(
      rendered(chartTemplate([{ metadata: { name, labels: chartLabels, namespace: action.releaseNamespace } }])),
    ).toEqual([{ metadata: { name: "ns-rel-a", labels: { app: "x" }, namespace: "ns" } }]);
  });

  it("is refused where Helm would meet escaped quotes", () => {
    expect(() => chartTemplate([{ expression: `it's ${action.keysNamespace}\u0007` }])).toThrow(/double quotes/);
  });

  it("keeps long expressions on one line, inside which an action may stand", () => {
    const expression = `${"a == 'b' && ".repeat(50)}${action.releaseName} != ''`;
    expect(rendered(chartTemplate([{ expression }]))).toEqual([
      { expression: expression.replace(action.releaseName, "rel") },
    ]);
  });
});

/** The text with the same words for names of the release's. */
function withoutRelease(text: string, namespace: string, name: string): string {
  return text
    .replaceAll(`"${namespace}-${name}-keys"`, '"KEYS"')
    .replaceAll(`"${namespace}-${name}-sessions"`, '"SESSIONS"')
    .replaceAll(`"${namespace}-${name}-tokens"`, '"TOKENS"')
    .replaceAll(`${namespace}-${name}-`, "NAME-")
    .replaceAll(`${namespace}:${name}-`, "USER-")
    .replaceAll(`runwright-sandbox.${namespace}.${name}`, "AUDIENCE")
    .replaceAll(`'${namespace}'`, "'NAMESPACE'")
    .replaceAll(`"${namespace}"`, '"NAMESPACE"')
    .replaceAll(new RegExp(`\\b${name}-(gateway-ca|controller|connector|archive)\\b`, "g"), "RELEASE-$1");
}

describe("the admission policies", () => {
  it("are the same in the chart and in the manifest but for the release and its labels", () => {
    const chart = withoutRelease(JSON.stringify(rendered(policiesTemplate())), "ns", "rel");
    const documents = parseAllDocuments(policiesManifest()).map((document) => document.toJS() as unknown);
    const manifest = withoutRelease(JSON.stringify(documents), "runwright-system", "runwright").replaceAll(
      '"labels":{"app.kubernetes.io/name":"runwright"}',
      '"labels":{"app":"x"}',
    );
    expect(manifest).toBe(chart);
    expect(chart).toContain("system:serviceaccount:USER-ingress");
  });
});

describe("the roles of a process", () => {
  const permissions = [
    { scope: "tenants", apiGroups: ["runwright.dev"], resources: ["runs"], verbs: ["create"] },
    { scope: "keys", apiGroups: [""], resources: ["secrets"], verbs: ["get"], resourceNames: ["a"] },
    { scope: "tenants", apiGroups: ["runwright.dev"], resources: ["automations"], verbs: ["get"] },
    { scope: "cluster", apiGroups: ["runwright.dev"], resources: ["sandboxclasses"], verbs: ["get"] },
  ] as const;

  it("hold for the whole cluster what belongs to no namespace, and the rest where it is served", () => {
    const roles = [
      clusterRoleOf("ingress", permissions, false),
      watchedRoleOf("ingress", permissions, "shop"),
      clusterRoleOf("ingress", permissions, true),
    ];
    const classes = { apiGroups: ["runwright.dev"], resources: ["sandboxclasses"], verbs: ["get"] };
    const kinds = [
      { apiGroups: ["runwright.dev"], resources: ["automations"], verbs: ["get"] },
      { apiGroups: ["runwright.dev"], resources: ["runs"], verbs: ["create"] },
    ];
    expect(rendered(chartDocuments(roles))).toMatchObject([
      { kind: "ClusterRole", metadata: { name: "ns-rel-ingress" }, rules: [classes] },
      { kind: "Role", metadata: { name: "ns-rel-ingress", namespace: "shop" }, rules: kinds },
      {
        kind: "ClusterRole",
        metadata: { name: "ns-rel-ingress" },
        rules: [{ ...kinds[0], resources: ["automations", "sandboxclasses"] }, kinds[1]],
      },
    ]);
  });

  it("hold each permission in its scope alone", () => {
    expect(rendered(chartTemplate(rolesOf("ingress", permissions)))).toMatchObject([
      { kind: "Role", metadata: { name: "rel-ingress", namespace: "ns" }, rules: [] },
      {
        kind: "Role",
        metadata: { name: "rel-ingress", namespace: "ns-rel-keys" },
        rules: [{ apiGroups: [""], resources: ["secrets"], verbs: ["get"], resourceNames: ["a"] }],
      },
      { kind: "Role", metadata: { name: "rel-ingress", namespace: "ns-rel-sessions" }, rules: [] },
    ]);
  });
});
