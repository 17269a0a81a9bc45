import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { ArchiveStore } from "../../../../src/gateway/archive/archive-store.ts";
import { openArchive } from "../../../../src/gateway/archive/open-archive.ts";
import type { SessionRow } from "../../../../src/gateway/archive/schema/tables.ts";
import { systemClock } from "../../../../src/lib/clock.ts";
import { aSessionRow } from "../../../support/archive-rows.ts";
import { makeNamespace, testApi } from "../../../support/cluster.ts";
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

/** Stores sessions in the term that runs. */
async function store(...sessions: SessionRow[]): Promise<void> {
  const { term } = await database.selectFrom("writer").select("term").executeTakeFirstOrThrow();
  await new ArchiveStore(database, systemClock).write(term, { runs: [], sessions });
}

const routes = ["summary", "timeseries", "breakdown"];

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

it("has a day of a series for each that the window touches, and groups", async () => {
  const query = `namespace=${tenant}&days=7&scope=agents`;
  await store(aSessionRow("child", { namespace: tenant, source: "agent", repository: "api", created_ms: Date.now() }));
  const { body: series } = await people.send(`/analytics/timeseries?${query}&by=repository`, { token: reader });
  expect(series).toMatchObject({ by: "repository", groups: [{ key: "api", namespace: tenant, sessions: 1 }] });
  const points = series.series as { date: string; sessions: number }[];
  // At midnight a window touches seven.
  expect([7, 8]).toContain(points.length);
  expect(points.at(-1)).toMatchObject({ sessions: 1 });
  const { body: breakdown } = await people.send(`/analytics/breakdown?${query}&by=repository`, { token: reader });
  expect(breakdown).toMatchObject({ entries: [{ displayName: "api", sessions: 1 }], hasMore: false });
});

it("shows nothing of an earlier namespace of the same name", async () => {
  const created_ms = Date.now() - 3_600_000;
  const before = {
    namespace: tenant,
    source: "agent",
    requested_by: "before",
    created_ms,
    gone_ms: created_ms,
  } as const;
  const rows = Array.from({ length: 100 }, (_, index) => aSessionRow(`of-before-${index}`, before));
  await store(...rows);
  const query = "scope=agents&days=14";
  const everywhere = await people.caller([ours("sessions", "list")], "everywhere");
  for (const route of routes) {
    const { body } = await people.send(`/analytics/${route}?namespace=${tenant}&${query}`, { token: reader });
    expect(JSON.stringify(body)).not.toContain("before");
  }
  expect((await summary(`namespace=${tenant}&${query}`)).body.totalSessions).toBeLessThan(rows.length);
  // Tests beside this one make sessions, too.
  expect((await summary(query, everywhere)).body.totalSessions).toBeGreaterThanOrEqual(rows.length);
});

it("shows nothing of a namespace that was deleted and made again", async () => {
  const name = await makeNamespace("again");
  const everywhere = await people.caller([ours("sessions", "list"), ours("runs", "list")], "everywhere");
  // As API servers write it, in whole seconds.
  const created_ms = Math.floor(Date.now() / 1_000) * 1_000;
  await store(aSessionRow("of-first", { namespace: name, title: "Secret plan", created_ms }));
  const list = () => people.send(`/archive/sessions?namespace=${name}`, { token: everywhere });
  expect((await list()).body.sessions).toMatchObject([{ name: "Secret plan" }]);
  const count = () => summary(`namespace=${name}`, everywhere).then(({ body }) => body.totalSessions);
  expect(await count()).toBe(1);
  await remakeNamespace(name, created_ms);
  expect((await list()).body.sessions).toEqual([]);
  expect(await count()).toBe(0);
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

  it.each(routes)("are the same for %s", async (route) => {
    const other = await people.caller([ours("sessions", "get"), ours("runs", "list")]);
    const status = (query: string, token: string) =>
      people.send(`/analytics/${route}?${query}`, { token }).then((answer) => answer.status);
    expect(await status(`namespace=${tenant}&days=90`, reader)).toBe(200);
    // Also while the answer to another caller is fresh.
    expect(await status(`namespace=${tenant}&days=90`, other)).toBe(403);
    expect(await status("days=90", reader)).toBe(403);
    expect(await status("namespace=elsewhere", reader)).toBe(403);
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

it.each(["", "by=", "by=repo", "by=User", "by=user&by=user", "by=user%20"])("refuses %j to group by", async (by) => {
  for (const route of ["timeseries", "breakdown"]) {
    const { status, body } = await people.send(`/analytics/${route}?namespace=${tenant}&${by}`, { token: reader });
    expect(status).toBe(by === "" ? 200 : 400);
    if (by !== "") expect(body.error).toContain("by ");
  }
});

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
  const { status, body } = await summary(`namespace=${tenant}&days=90&scope=automations`);
  expect([status, body.code]).toEqual([503, "Unavailable"]);
  expect(JSON.stringify(body)).not.toContain("SQL");
  await database.schema.alterTable("elsewhere").renameTo("sessions").execute();
  // A failure is not kept for the next ones.
  expect((await summary(`namespace=${tenant}&days=90&scope=automations`)).status).toBe(200);

  const without = await openPeopleWorld();
  const token = await without.caller([ours("sessions", "list")]);
  const answer = await without.send(`/analytics/summary?namespace=${without.world.tenant}`, { token });
  expect([answer.status, answer.body.code]).toEqual([404, "NotFound"]);
  expect(answer.body.error).toContain("archive.mode");
  await without.close();
});

/** Deletes the namespace, as its controller would end it, and makes it again in a later second. */
async function remakeNamespace(name: string, createdMs: number): Promise<void> {
  const path = `/api/v1/namespaces/${name}`;
  const object = { apiVersion: "v1", kind: "Namespace", metadata: { name } };
  await eventually("the namespace is a later one", async () => {
    await testApi().send("DELETE", path);
    await testApi().send("PUT", `${path}/finalize`, { ...object, spec: { finalizers: [] } });
    const { status, body } = await testApi().send("POST", "/api/v1/namespaces", object);
    expect(status, JSON.stringify(body)).toBe(201);
    const made = (body as { metadata: { creationTimestamp: string } }).metadata.creationTimestamp;
    return Date.parse(made) > createdMs || undefined;
  });
}
