import { describe, expect, it } from "vitest";
import { processWrites } from "../api/v1alpha1/process-policies.ts";
import { permissions as connector } from "../connector/permissions.ts";
import { permissions as controller } from "../controllers/permissions.ts";
import { permissions as gateway } from "../gateway/permissions.ts";
import { permissions as ingress } from "../ingress/permissions.ts";
import type { Permission } from "../lib/permissions.ts";

const writes = processWrites({ release: { name: "rw", namespace: "system" } });
const operations: Partial<Record<string, "CREATE" | "UPDATE">> = {
  create: "CREATE",
  update: "UPDATE",
  patch: "UPDATE",
};

/** What the API server answers and does not store. */
const asked = ["tokenreviews", "subjectaccessreviews", "sandboxes"];

function permitted({ scope, apiGroups, resources, verbs }: Permission): string[] {
  const place = scope === "tenants" || scope === "cluster" ? "anywhere" : scope;
  return apiGroups.flatMap((group) =>
    resources
      .filter((resource) => !asked.includes(resource))
      .flatMap((resource) =>
        verbs.flatMap((verb) => (operations[verb] ? [`${operations[verb]} ${group}/${resource} ${place}`] : [])),
      ),
  );
}

describe.each([
  { process: "ingress", permissions: ingress },
  { process: "gateway", permissions: gateway },
  { process: "controller", permissions: controller },
  { process: "connector", permissions: connector },
] as const)("the table of the $process", ({ process, permissions }) => {
  it("has a row for each write that its role permits, and for no other", () => {
    const rows = writes[process].map(
      ({ operation, apiGroup = "runwright.dev", resource, namespace = "anywhere" }) =>
        `${operation} ${apiGroup}/${resource} ${namespace}`,
    );
    expect([...new Set(rows)].sort()).toEqual([...new Set(permissions.flatMap(permitted))].sort());
  });
});

it("gives each policy a name of its own", () => {
  const names = Object.values(writes).flatMap((rows) => rows.map(({ name }) => name));
  expect(names).toHaveLength(new Set(names).size);
});
