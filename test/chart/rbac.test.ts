import { beforeAll, describe, expect, it } from "vitest";

import { permissions as controller } from "../../src/controllers/permissions.ts";
import { permissions as gateway } from "../../src/gateway/permissions.ts";
import { permissions as connector } from "../../src/connector/permissions.ts";
import { permissions as ingress } from "../../src/ingress/permissions.ts";
import { type Permission, type PermissionScope, releaseNameMark } from "../../src/lib/permissions.ts";
import { renderChart, type RenderedChart } from "./support/render.ts";
import { rightLines, rightsOf } from "./support/granted.ts";

const namespace = "tools";
const watched = ["shop", "tools"];
const namespacesOf: Record<PermissionScope, readonly string[]> = {
  cluster: ["*"],
  tenants: ["*"],
  release: [namespace],
  keys: [`${namespace}-rw-keys`],
  sessions: [`${namespace}-rw-sessions`],
  tokens: [`${namespace}-rw-tokens`],
};

let chart: RenderedChart;
let watchingChart: RenderedChart;

beforeAll(async () => {
  chart = await renderChart({ name: "rw", namespace, values: { "connector.enabled": true } });
  watchingChart = await renderChart({
    name: "rw",
    namespace,
    values: { watchNamespaces: watched, "connector.enabled": true },
  });
});

function declared(permissions: readonly Permission[], places = namespacesOf): string[] {
  const lines = permissions.flatMap(({ scope, apiGroups, resources, verbs, resourceNames }) =>
    places[scope].flatMap((place) =>
      rightLines(place, {
        apiGroups: [...apiGroups],
        resources: [...resources],
        verbs: [...verbs],
        ...(resourceNames && { resourceNames: resourceNames.map((name) => name.replace(releaseNameMark, "rw")) }),
      }),
    ),
  );
  return [...new Set(lines)].sort();
}

describe.each([
  { process: "controller", permissions: controller },
  { process: "ingress", permissions: ingress },
  { process: "gateway", permissions: gateway },
  { process: "connector", permissions: connector },
])("$process", ({ process, permissions }) => {
  function rights(): string[] {
    return rightsOf(chart, { name: `rw-${process}`, namespace });
  }

  it("has exactly the rights that its code declares", () => {
    expect(rights()).toEqual(declared(permissions));
    expect(rights()).not.toEqual([]);
  });

  it("has them in watched namespaces only where some are named, but for what belongs to none", () => {
    const inMode = rightsOf(watchingChart, { name: `rw-${process}`, namespace });
    expect(inMode).toEqual(declared(permissions, { ...namespacesOf, tenants: watched }));
    const clusterWide =
      /^\*: \w+ (runwright\.dev\/sandboxclasses(\/status)?|\S+\/(tokenreviews|subjectaccessreviews)|\/nodes) /;
    const apiServer = "*: get discovery.k8s.io/endpointslices kubernetes";
    expect(inMode.filter((line) => line.startsWith("*:") && !clusterWide.test(line) && line !== apiServer)).toEqual([]);
  });

  it("has no wildcard and no way to more rights", () => {
    const resources = /(?<!: list )\/(nodes|clusterroles|clusterrolebindings|customresourcedefinitions) /;
    const verbs = /: (\*|escalate|bind|impersonate) /;
    expect(
      rights().filter(
        (line) => line.includes("/* ") || line.includes(" */") || verbs.test(line) || resources.test(line),
      ),
    ).toEqual([]);
  });
});

describe("what a process must not have", () => {
  it.each([
    { process: "ingress", what: "listing or watching Runs", line: /: (list|watch) runwright\.dev\/runs/ },
    {
      process: "ingress",
      what: "changing Automations or Runs",
      line: /: (update|patch|delete) runwright\.dev\/(automations|runs)/,
    },
    { process: "ingress", what: "listing or watching Secrets", line: /: (list|watch) \/secrets/ },
    { process: "ingress", what: "Secrets outside the keys namespace", line: /^(?!tools-rw-keys).*\/secrets/ },
    { process: "ingress", what: "roles", line: /rbac\.authorization/ },
    { process: "gateway", what: "roles", line: /rbac\.authorization/ },
    { process: "ingress", what: "pods", line: /\/pods/ },
    { process: "gateway", what: "pods", line: /\/pods/ },
    { process: "gateway", what: "Secrets of tenants", line: /^\*: \w+ \/secrets/ },
    {
      process: "gateway",
      what: "deleting anything but key hashes",
      line: /^(?!tools-rw-keys).*: (delete|deletecollection) /,
    },
    {
      process: "controller",
      what: "listing or watching Secrets of tenants",
      line: /^\*: (list|watch|create|update|patch|delete) \/secrets/,
    },
  ])("$process: $what", ({ process, line }) => {
    expect(rightsOf(chart, { name: `rw-${process}`, namespace }).filter((right) => line.test(right))).toEqual([]);
  });
});
