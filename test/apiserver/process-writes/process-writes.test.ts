import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { processWrites, type Process } from "../../../src/api/v1alpha1/process-policies.ts";
import type { Rule } from "../../../src/api/v1alpha1/process-writes/rules.ts";
import { metadataFields, type Write } from "../../../src/api/v1alpha1/process-writes/write.ts";
import { plainKinds, requirementsOf } from "../../../src/api/v1alpha1/process-writes/validations.ts";
import { kinds } from "../../../src/api/v1alpha1/index.ts";
import { objectSchema } from "../../../src/codegen/custom-resource-definition.ts";
import type { StructuralSchema } from "../../../src/codegen/structural-schema.ts";
import { connectorTried } from "./connector.ts";
import type { ApiClient } from "../../support/api-client.ts";
import { controllerTried } from "./controller.ts";
import { type TriedDeletion, triedDeletions } from "./deletions.ts";
import { gatewayTried, takenLeadership } from "./gateway.ts";
import { ingressTried } from "./ingress.ts";
import { tenantTried } from "./tenant-objects.ts";
import { coordination, of, type Refused, release, type Tried } from "./tried.ts";
import { attempt, openPolicyWorld, type PolicyWorld, post } from "./world.ts";

// The users of our processes have all rights here, so what is refused is refused by the policies.

const tables: readonly Tried[] = [
  ...ingressTried,
  ...gatewayTried,
  ...controllerTried,
  ...tenantTried,
  ...connectorTried,
];
const writes = processWrites({ release });

let world: PolicyWorld;
beforeAll(async () => {
  world = await openPolicyWorld();
});
afterAll(() => world.close());

function rowOf({ process, write }: Pick<Tried, "process" | "write">): Write {
  const row = writes[process].find(({ name }) => name === write);
  if (!row) throw new Error(`there is no row ${write}`);
  return row;
}

const stranger = { apiVersion: "v1", kind: "ConfigMap", name: "s", uid: "u" };
/** What a policy of the cluster may add to every object. */
const added = { "example.com/more": "x", team: "shop", "app.kubernetes.io/part-of": "shop" };
const foreignSamples = {
  labels: { "runwright.dev/more": "x" },
  annotations: { "runwright.dev/more": "x" },
  finalizers: ["example.com/stay"],
  ownerReferences: [stranger],
};

/** Changes of metadata that no row leaves open. */
function metadataChanges(tried: Tried): Refused[] {
  const { metadata = {}, resource } = rowOf(tried);
  if (resource.endsWith("/status")) return [];
  const closed = metadataFields.filter((field) => {
    const rule = metadata[field];
    return field === "ownerReferences" || rule === undefined || rule.kind === "members";
  });
  return [
    ...closed.map((field): Refused => [
      `with ${field} of others`,
      { metadata: { [field]: foreignSamples[field] } },
      "metadata",
    ]),
    ...ownersLike(tried).map(([what, owners]): Refused => [
      what,
      { metadata: { ownerReferences: owners } },
      "metadata.ownerReferences",
    ]),
  ];
}

/** Labels and annotations that mean something to Kubernetes or to programs that copy secrets and give rights. */
function domainsOfOthers(tried: Tried): Refused[] {
  const { metadata = {}, resource } = rowOf(tried);
  if (resource.endsWith("/status")) return [];
  if (metadata.annotations?.kind === "free") return [];
  return [
    ...["node.kubernetes.io/x", "x.k8s.io/y", "sub.runwright.dev/z"].map((name): Refused => [
      `with the annotation ${name}`,
      { metadata: { annotations: { [name]: "x" } } },
      "metadata",
    ]),
    ...(plainKinds.has(resource)
      ? [["with an annotation of others", { metadata: { annotations: added } }, "metadata"] satisfies Refused]
      : []),
  ];
}

/** Owners that look like the right one. */
function ownersLike({ object, stored }: Tried): [string, object[] | null][] {
  const [owner] =
    (object as { metadata?: { ownerReferences?: { apiVersion: string }[] } }).metadata?.ownerReferences ?? [];
  if (!owner || stored) return [];
  return [
    ["of two owners", [owner, { ...owner, uid: "u9", controller: false }]],
    ["of a kind of another group", [{ ...owner, apiVersion: "example.com/v1" }]],
    [
      "of a group that begins like the right one",
      [{ ...owner, apiVersion: owner.apiVersion.replace(/^[^/]+/, "$&.example.com") }],
    ],
  ];
}

describe.each(tables.map((tried, index) => ({ title: `${tried.write} (${String(index)})`, tried })))(
  "$title",
  ({ tried }) => {
    beforeAll(async () => {
      if (tried.stored) await post(world.admin, tried.path, tried.stored);
    });

    it("is as the process writes it", async () => {
      const answer = await attempt(world.as(tried.process), tried);
      expect(answer).toMatchObject({ status: tried.stored ? 200 : 201 });
    });

    it("is taken with what a policy of the cluster adds", async () => {
      const { resource } = rowOf(tried);
      if (resource.endsWith("/status")) return;
      const metadata = { labels: added, ...(!plainKinds.has(resource) && { annotations: added }) };
      const answer = await attempt(world.as(tried.process), tried, { metadata });
      expect(answer).toMatchObject({ status: tried.stored ? 200 : 201 });
    });

    it.each([...(tried.refused ?? []), ...domainsOfOthers(tried), ...metadataChanges(tried)])(
      "is refused %s",
      async (_, change, message) => {
        const answer = await attempt(world.as(tried.process), tried, change);
        // 422 is the kind's own answer.
        expect([403, 422]).toContain(answer.status);
        expect((answer.body as { message: string }).message).toContain(message);
      },
    );
  },
);

it("are limits of our processes alone", async () => {
  const tried = gatewayTried.find(({ write }) => write === "gateway-automations")!;
  const change = { spec: { instructions: "Do as I say." }, metadata: { finalizers: ["example.com/stay"] } };
  expect(await attempt(world.as("stranger"), tried, change)).toMatchObject({ status: 200 });
});

it("keep the gateway from the controller's leadership", async () => {
  const path = of(coordination, "leases", release.namespace);
  await post(world.admin, path, takenLeadership.stored);
  const change = { spec: { holderIdentity: "thief" } };
  const answer = await world.as("gateway").send("PATCH", `${path}/runwright-controller?dryRun=All`, change);
  expect(answer).toMatchObject({ status: 403 });
  expect((answer.body as { message: string }).message).toContain(takenLeadership.message);
});

describe("a deletion", () => {
  const tried = triedDeletions.map(([process, what, path, stored, refused]) => ({
    title: `by the ${process} of ${what} is ${refused === undefined ? "taken" : "refused"}`,
    ...{ process, path, stored, refused },
  }));
  it.each(tried)("$title", async ({ process, path, stored, refused }) => {
    await post(world.admin, path, stored);
    await settle(world.admin, path, stored);
    const at = `${path}/${stored.metadata.name}?dryRun=All`;
    const answer = await world.as(process).send("DELETE", at);
    expect(answer.status).toBe(refused === undefined ? 200 : 403);
    if (refused !== undefined) expect((answer.body as { message: string }).message).toContain(refused);
    // Nobody else is hindered: neither people nor what cleans up for Kubernetes.
    for (const user of ["stranger", "generic-garbage-collector", "namespace-controller"] as const) {
      expect(await world.as(user).send("DELETE", at)).toMatchObject({ status: 200 });
    }
  });
});

async function settle(admin: ApiClient, path: string, { metadata, status }: TriedDeletion[3]): Promise<void> {
  if (status === undefined) return;
  const answer = await admin.send("PATCH", `${path}/${metadata.name}/status`, { status });
  if (answer.status !== 200) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
}

describe("the tables", () => {
  const rows = (["ingress", "gateway", "controller", "connector"] as const).flatMap((process) =>
    writes[process]
      .filter((write) => requirementsOf(process, write).length > 0)
      .map((write): [Process, Write] => [process, write]),
  );

  it.each(rows.map(([process, { name }]) => [name, process] as const))("try %s of the %s", (name, process) => {
    expect(tables.filter((tried) => tried.process === process && tried.write === name)).not.toEqual([]);
  });

  it.each(
    rows.flatMap(([process, write]) => closedFields(write).map((field) => [write.name, field, process] as const)),
  )("try %s with %s of the %s", (name, field, process) => {
    const tries = tables.filter((tried) => tried.process === process && tried.write === name);
    const changed = tries.flatMap(({ refused = [] }) => refused.map(([, change]) => change));
    expect(changed.filter((change) => touches(change, field.split(".")))).not.toEqual([]);
  });
});

/** Fields of our kinds that a row leaves out, such as `spec.trigger.firedTime`; the status has a resource of its own. */
function closedFields({ resource, fields }: Write): string[] {
  const kind = kinds.find(({ plural }) => plural === resource);
  return kind ? closedIn(objectSchema(kind).properties ?? {}, fields, []) : [];
}

function closedIn(
  properties: Readonly<Record<string, StructuralSchema>>,
  of: Readonly<Record<string, Rule>>,
  path: readonly string[],
): string[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    if (path.length === 0 && ["apiVersion", "kind", "metadata", "status"].includes(name)) return [];
    const rule = of[name];
    const here = [...path, name];
    if (!rule) return [here.join(".")];
    return rule.kind === "members" ? closedIn(schema.properties ?? {}, rule.of, here) : [];
  });
}

function touches(change: unknown, [first, ...rest]: readonly string[]): boolean {
  if (first === undefined) return true;
  if (typeof change !== "object" || change === null || !(first in change)) return false;
  return touches((change as Record<string, unknown>)[first], rest);
}
