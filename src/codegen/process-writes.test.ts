import { describe, expect, it } from "vitest";
import { processDeletions, processWrites } from "../api/v1alpha1/process-policies.ts";
import { guarded } from "../api/v1alpha1/process-writes/deletion.ts";
import { permissions as connector } from "../connector/permissions.ts";
import { permissions as controller } from "../controllers/permissions.ts";
import { permissions as gateway } from "../gateway/permissions.ts";
import { permissions as ingress } from "../ingress/permissions.ts";
import type { Permission } from "../lib/permissions.ts";

const writes = processWrites({ release: { name: "rw", namespace: "system" } });
const operations: Partial<Record<string, "CREATE" | "UPDATE" | "DELETE">> = {
  create: "CREATE",
  update: "UPDATE",
  patch: "UPDATE",
  delete: "DELETE",
  deletecollection: "DELETE",
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
  it("has a row for each write and deletion that its role permits, and for no other", () => {
    const deletions = processDeletions[process].map((row) => ({ ...row, operation: "DELETE" as const }));
    const rows = [...writes[process], ...deletions].map(
      ({ operation, apiGroup = "runwright.dev", resource, namespace = "anywhere" }) =>
        `${operation} ${apiGroup}/${resource} ${namespace}`,
    );
    expect([...new Set(rows)].sort()).toEqual([...new Set(permissions.flatMap(permitted))].sort());
  });
});

it("gives each policy a name of its own", () => {
  const rows = [...Object.values(writes), ...Object.values(processDeletions)].flat();
  const names = rows.map(({ name }) => name);
  expect(names).toHaveLength(new Set(names).size);
});

it("has what it deletes by a row among what is kept from those without one", () => {
  const outside = Object.values(processDeletions)
    .flat()
    .filter(({ apiGroup, resource }) => {
      const all = guarded.filter((one) => one.apiGroup === apiGroup).flatMap(({ resources }) => resources);
      return apiGroup !== undefined && !all.includes(resource);
    });
  expect(outside).toEqual([]);
});
