import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { ArchiveStore, type Batch } from "../../../../src/gateway/archive/archive-store.ts";
import type { SessionRow } from "../../../../src/gateway/archive/schema/tables.ts";
import type { Database } from "../../../../src/gateway/archive/open-archive.ts";
import { systemClock } from "../../../../src/lib/clock.ts";
import { aPullRequestRow, aSessionRow } from "../../../support/archive-rows.ts";
import { type EmbeddedArchive, openEmbeddedArchive } from "../../../support/embedded-archive.ts";
import { aPullRequest } from "../../../support/builders.ts";
import { makeNamespace, testApi } from "../../../support/cluster.ts";
import { openPeopleWorld, ours, type PeopleWorld } from "../../../support/people-world.ts";
import { create, eventually } from "../../../support/runtime-world.ts";

let people: PeopleWorld;
let reader: string;
let tenant: string;
let archive: EmbeddedArchive;
let database: Database;

beforeAll(async () => {
  archive = await openEmbeddedArchive();
  ({ database } = archive);
  people = await openPeopleWorld(undefined, { database, retentionDays: 400 });
  tenant = people.world.tenant;
  reader = await people.caller(rights);
});
afterAll(async () => {
  await people.close();
  await archive.close();
});

const summary = (query: string, token = reader) => people.send(`/analytics/summary?${query}`, { token });

/** Stores sessions in the term that runs. */
async function store(...sessions: SessionRow[]): Promise<void> {
  await storeAll({ runs: [], sessions });
}

async function storeAll(batch: Batch): Promise<void> {
  const { term } = await database.selectFrom("writer").select("term").executeTakeFirstOrThrow();
  await new ArchiveStore(database, systemClock).write(term, batch);
}

const rights = [ours("sessions", "list"), ours("pullrequests", "list")];
const routes = ["summary", "timeseries", "breakdown", "pull-requests"];
/** Pull requests of all sources count. */
const scoped = (route: string, scope: string): string => (route === "pull-requests" ? "" : `&scope=${scope}`);
const pullRequests = (query: string, token = reader) => people.send(`/analytics/pull-requests?${query}`, { token });

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
  const itsRepository = { repository: "repository-of-before", state: "merged", merged_ms: created_ms };
  const pullRequests = [aPullRequestRow("of-before", { namespace: tenant, created_ms, ...itsRepository })];
  await storeAll({ runs: [], sessions: [], pullRequests });
  const query = "scope=agents&days=14";
  const everywhere = await people.caller(rights, "everywhere");
  for (const route of routes) {
    const asked = `namespace=${tenant}&days=14${scoped(route, "agents")}`;
    const { body } = await people.send(`/analytics/${route}?${asked}`, { token: reader });
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

describe("pull requests", () => {
  /** Another question each time: an answer is kept for 10 seconds. */
  let turn = 0;
  const path = () => `/apis/runwright.dev/v1alpha1/namespaces/${tenant}`;
  const createdNow = async (): Promise<number> => {
    const { body } = await pullRequests(`namespace=${tenant}&days=90&limit=${String(1 + (turn += 1))}`);
    return (body.funnel as { created: number }).created;
  };

  it("count from when they are opened, and what they cost is that of their session", async () => {
    await makeOne("pr-session", "pr", { number: 7, githubState: "Open" });
    await eventually("it is counted", async () => (await createdNow()) === 1 || undefined);
    const { body } = await pullRequests(`namespace=${tenant}&days=7`);
    expect(body).toMatchObject({
      funnel: { created: 1, draft: 0, open: 1, merged: 0, closed: 0 },
      acceptanceRate: null,
      costUsd: "0.42",
      costPerMergedUsd: null,
      openNow: { draft: 0, open: 1 },
      bySource: [{ startedBy: "people", created: 1 }, { startedBy: "automations" }, { startedBy: "agents" }],
      byRepository: [{ namespace: tenant, repository: "api", created: 1, merged: 0 }],
    });
    await testApi().send("PATCH", `${path()}/pullrequests/pr/status`, {
      status: { githubState: "Merged", mergeTime: new Date().toISOString() },
    });
    await eventually("its merge is counted", async () => {
      const answer = await pullRequests(`namespace=${tenant}&days=14&limit=${String(1 + (turn += 1))}`);
      return answer.body.mergedInWindow === 1 || undefined;
    });
    await testApi().send("DELETE", `${path()}/sessions/pr-session`);
    await testApi().send("DELETE", `${path()}/pullrequests/pr`);
    await eventually("it is seen to be gone", async () => {
      const rows = await database.selectFrom("pull_requests").selectAll().where("name", "=", "pr").execute();
      return (rows[0]?.gone_ms != null && rows[0].cost_micro === 420_000 && rows[0].source === "person") || undefined;
    });
  });

  it("take the right to list pull requests and that to list sessions", async () => {
    const only = (resource: string) => people.caller([ours(resource, "list")]);
    const { status, body } = await pullRequests(`namespace=${tenant}`, await only("sessions"));
    expect([status, body.error]).toEqual([403, expect.stringContaining("list pullrequests")]);
    expect((await pullRequests(`namespace=${tenant}`, await only("pullrequests"))).status).toBe(403);
    expect((await pullRequests("")).status).toBe(403);
  });

  it.each(["limit=0", "limit=101", "limit=", "limit=1e1", "limit=%2B1", "limit=1.0", "limit=-1", "limit=%EF%BC%91"])(
    "are refused for %s",
    async (query) => {
      const { status, body } = await pullRequests(`namespace=${tenant}&${query}`);
      expect([status, body.code]).toEqual([400, "InvalidRequest"]);
      expect(body.error).toContain("limit");
    },
  );

  /** A session that cost 0.42 dollars, and its pull request. */
  async function makeOne(session: string, name: string, status: object): Promise<void> {
    const of = { apiVersion: "runwright.dev/v1alpha1" };
    await create(`${path()}/sessions`, { ...of, kind: "Session", metadata: { name: session }, spec: {} });
    await testApi().send("PATCH", `${path()}/sessions/${session}/status`, { status: { costUsd: "0.42" } });
    const { body } = await testApi().send("GET", `${path()}/sessions/${session}`);
    const { uid } = (body as { metadata: { uid: string } }).metadata;
    const { spec } = aPullRequest({ spec: { sessionRef: { name: session, uid } } });
    await create(`${path()}/pullrequests`, { ...of, kind: "PullRequest", metadata: { name }, spec });
    await testApi().send("PATCH", `${path()}/pullrequests/${name}/status`, { status });
  }
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

const notDays = [
  "31",
  "0",
  "-7",
  "7.5",
  "abc",
  "",
  "3e1",
  "30.0",
  "0x1e",
  "%2030",
  "30&days=7",
  "30%00",
  "030",
  "30,7",
];
it.each([...notDays, "%EF%BC%97", "30%0A", "%2B30", "%FF"])("refuses %j days", async (days) => {
  for (const route of routes) {
    const { status, body } = await people.send(`/analytics/${route}?namespace=${tenant}&days=${days}`, {
      token: reader,
    });
    expect([route, status, body.code]).toEqual([route, 400, "InvalidRequest"]);
    expect(body.error).toContain("days");
  }
});

it.each([
  "",
  "by=",
  "by=repo",
  "by=User",
  "by=user&by=user",
  "by=user%20",
  "by=us%00er",
  "by=user,repository",
  "by=__proto__",
])("refuses %j to group by", async (by) => {
  for (const route of ["timeseries", "breakdown"]) {
    const { status, body } = await people.send(`/analytics/${route}?namespace=${tenant}&${by}`, { token: reader });
    expect(status).toBe(by === "" ? 200 : 400);
    if (by !== "") expect(body.error).toContain("by");
  }
});

const notNamespaces = ["A", "", "a.b", "-a", "a-", "a%00", "a%0A", "../a", "%C3%A9", "a".repeat(64), "a&namespace=a"];
it.each(["", "scope=", "scope=everybody", ...notNamespaces.map((name) => `namespace=${name}`)])(
  "looks at what %j says",
  async (query) => {
    expect((await summary(query)).status).toBe(query === "" ? 403 : 400);
  },
);

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
