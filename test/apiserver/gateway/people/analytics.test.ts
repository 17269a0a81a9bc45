import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { openArchive } from "../../../../src/gateway/archive/open-archive.ts";
import { aSessionRow } from "../../../support/archive-rows.ts";
import { openPeopleWorld, ours, type PeopleWorld } from "../../../support/people-world.ts";
import { create, eventually } from "../../../support/runtime-world.ts";

let people: PeopleWorld;
let reader: string;
let tenant: string;
let database: NonNullable<Awaited<ReturnType<typeof openArchive>>>;

beforeAll(async () => {
  database = (await openArchive({ mode: "embedded", file: ":memory:" }, console))!;
  people = await openPeopleWorld(undefined, { database, retentionDays: 400 });
  tenant = people.world.tenant;
  reader = await people.caller([ours("sessions", "list")]);
});
afterAll(() => people.close());

const summary = (query: string, token = reader) => people.send(`/analytics/summary?${query}`, { token });

it("counts a session from its creation on", async () => {
  const path = `/apis/runwright.dev/v1alpha1/namespaces/${tenant}/sessions`;
  await create(path, { apiVersion: "runwright.dev/v1alpha1", kind: "Session", metadata: { name: "s" }, spec: {} });
  await eventually("it is counted", async () => {
    const { body } = await summary(`namespace=${tenant}`);
    return body.totalSessions === 1 || undefined;
  });
  const { body } = await summary(`namespace=${tenant}&days=7&scope=all`);
  expect(body).toMatchObject({ statusBreakdown: { created: 1, archived: 0 }, completionRate: null });
});

it("shows nothing of an earlier namespace of the same name", async () => {
  const created_ms = Date.now() - 3_600_000;
  const before = { namespace: tenant, source: "agent", created_ms, gone_ms: created_ms } as const;
  const rows = Array.from({ length: 100 }, (_, index) => aSessionRow(`of-before-${index}`, before));
  await database.insertInto("sessions").values(rows).execute();
  expect((await summary(`namespace=${tenant}&scope=agents`)).body.totalSessions).toBe(0);
  const everywhere = await people.caller([ours("sessions", "list")], "everywhere");
  // Tests beside this one make sessions, too.
  expect((await summary("scope=agents", everywhere)).body.totalSessions).toBeGreaterThanOrEqual(rows.length);
});

describe("rights", () => {
  it("are those to list sessions, in the namespace or in all", async () => {
    const other = await people.caller([ours("sessions", "get"), ours("runs", "list")]);
    expect((await summary(`namespace=${tenant}`, other)).status).toBe(403);
    expect((await summary(`namespace=${tenant}`)).status).toBe(200);
    expect((await summary("")).status).toBe(403);
    expect((await summary("namespace=elsewhere")).status).toBe(403);
    expect((await summary("", "")).status).toBe(401);
  });

  it("in all namespaces do not make a namespace that is not there", async () => {
    const everywhere = await people.caller([ours("sessions", "list")], "everywhere");
    expect((await summary("namespace=nowhere", everywhere)).status).toBe(404);
  });
});

it.each(["31", "0", "-7", "7.5", "abc", "", "3e1", "30.0", "0x1e", "%2030", "30&days=7"])(
  "refuses %j days",
  async (days) => {
    const { status, body } = await summary(`namespace=${tenant}&days=${days}`);
    expect([status, body.code]).toEqual([400, "InvalidRequest"]);
    expect(body.error).toContain("days");
  },
);

it.each(["", "scope=", "scope=everybody", "namespace=A", "namespace="])("looks at what %j says", async (query) => {
  expect((await summary(query)).status).toBe(query === "" ? 403 : 400);
});

it.each(["days=7", "days=14", "days=30", "days=90", "scope=people", "scope=automations", "scope=agents", "scope=all"])(
  "takes %s",
  async (query) => {
    expect((await summary(`namespace=${tenant}&${query}`)).status).toBe(200);
  },
);

it("says so when the archive is away, and when there is none", async () => {
  await database.schema.alterTable("sessions").renameTo("elsewhere").execute();
  const { status, body } = await summary(`namespace=${tenant}`);
  expect([status, body.code]).toEqual([503, "Unavailable"]);
  expect(JSON.stringify(body)).not.toContain("SQL");
  await database.schema.alterTable("elsewhere").renameTo("sessions").execute();

  const without = await openPeopleWorld();
  const token = await without.caller([ours("sessions", "list")]);
  const answer = await without.send(`/analytics/summary?namespace=${without.world.tenant}`, { token });
  expect([answer.status, answer.body.code]).toEqual([404, "NotFound"]);
  expect(answer.body.error).toContain("archive.mode");
  await without.close();
});
