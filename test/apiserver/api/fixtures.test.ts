import { beforeAll, describe, expect, it } from "vitest";

import { kinds, type Kind } from "../../../src/api/v1alpha1/index.ts";
import { readFixtures, type Fixture } from "../../fixtures/objects/fixtures.ts";
import { makeNamespace, testApi } from "../../support/cluster.ts";
import { collectionPath } from "./paths.ts";

let namespace: string;
beforeAll(async () => {
  namespace = await makeNamespace("fixtures");
});

describe.each(kinds)("kind $kind", (kind) => {
  const fixtures = readFixtures().filter((fixture) => fixture.kind === kind.kind);

  it("has fixtures of both verdicts", () => {
    expect(new Set(fixtures.map(({ refused }) => refused === undefined))).toEqual(new Set([true, false]));
  });

  it.each(fixtures)("$name: judged by the API server", async ({ object, refused }) => {
    const path = `${collectionPath(kind, namespace)}?dryRun=All&fieldValidation=Strict`;
    const { status, body } = await testApi().send("POST", path, object);
    if (refused === undefined) {
      expect(body).toMatchObject({ kind: kind.kind });
      return;
    }
    expect([400, 422]).toContain(status);
    expect(messageOf(body)).toContain(refused.field);
    expect(messageOf(body)).toContain(refused.says);
  });

  it.each(fixtures.filter(({ judge }) => judge !== "server"))("$name: judged by our schema", (fixture) => {
    const fields = refusedFields(kind, fixture);
    const wanted = fixture.refused?.field;
    if (wanted === undefined) expect(fields).toEqual([]);
    else expect(fields.filter((field) => isNear(field, wanted))).not.toEqual([]);
  });
});

function messageOf(body: unknown): string {
  return (body as { message: string }).message;
}

function refusedFields(kind: Kind, { object }: Fixture): string[] {
  const { error } = kind.schema.safeParse(object);
  return (error?.issues ?? []).map(({ path }) => path.map(stepOf).join("").slice(1));
}

function stepOf(step: PropertyKey): string {
  return typeof step === "number" ? `[${step}]` : `.${String(step)}`;
}

/** Both judges point at the same field, or one of them at what the field is in. */
function isNear(field: string, wanted: string): boolean {
  return field.startsWith(wanted) || wanted.startsWith(field);
}
