import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import { labels } from "../../../../src/api/v1alpha1/index.ts";
import type { Database } from "../../../../src/gateway/archive/open-archive.ts";
import { aRunRow, aSessionRow } from "../../../support/archive-rows.ts";
import { type EmbeddedArchive, openEmbeddedArchive } from "../../../support/embedded-archive.ts";
import { type Answer, openPeopleWorld, ours, type PeopleWorld } from "../../../support/people-world.ts";
import { create, eventually } from "../../../support/runtime-world.ts";

let people: PeopleWorld;
let tenant: string;
let reader: string;
let archive: EmbeddedArchive;
let database: Database;

beforeAll(async () => {
  archive = await openEmbeddedArchive();
  ({ database } = archive);
  people = await openPeopleWorld(undefined, { database, retentionDays: 400 });
  tenant = people.world.tenant;
  reader = await people.caller([ours("automations", "get"), ours("runs", "list"), ours("sessions", "list")]);
  await eventually("the archive is there", () =>
    database
      .selectFrom("trimmed")
      .select("namespace")
      .execute()
      .then(
        () => true,
        () => undefined,
      ),
  );
});
afterAll(async () => {
  await people.close();
  await archive.close();
});

afterEach(() => database.deleteFrom("trimmed").execute());

/** Notes that a budget took away what these namespaces had until an instant. */
const cut = (namespaces: readonly string[], newest_ms: number) =>
  database
    .insertInto("trimmed")
    .values(
      namespaces.map((namespace) => ({ namespace, newest_ms, budget: "namespace" as const, budget_bytes: 2_048 })),
    )
    .execute();
const laterMs = (): number => Date.now() + 1_000;

const get = (path: string, token = reader): Promise<Answer> => people.send(path, { token });
const ids = ({ body }: Answer): string[] =>
  ((body.invocations ?? body.sessions) as { id: string }[]).map(({ id }) => id);

describe("invocations", () => {
  it("go on where the cluster's history ends, and name the sessions of each", async () => {
    const { id, name, uid } = await people.makeAutomation();
    const path = `/apis/runwright.dev/v1alpha1/namespaces/${tenant}/runs`;
    const metadata = { name: `${name}-live`, labels: { [labels.automationUid]: uid } };
    const spec = { automationRef: { name, uid }, trigger: { type: "Manual" } };
    await create(path, { apiVersion: "runwright.dev/v1alpha1", kind: "Run", metadata, spec });
    const pruned = { automation_uid: uid, automation: name, namespace: tenant, gone_ms: Date.now() };
    const rows = [1, 2, 3].map((age) =>
      aRunRow(`${name}-${age}`, { ...pruned, created_ms: Date.now() - age * 3_600_000, state: "completed" }),
    );
    await database
      .insertInto("runs")
      .values([...rows, aRunRow(`${name}-0`, { ...pruned, automation_uid: "another" })])
      .execute();
    const created_ms = Date.now() - 3_500_000;
    const session = { namespace: tenant, run_uid: `${name}-1`, outcome: "completed", state: "idle", created_ms };
    await database
      .insertInto("sessions")
      .values(aSessionRow(`${name}-s`, session))
      .execute();

    const first = await get(`/automations/${id}/invocations?limit=2`);
    expect(ids(first)).toEqual([`${name}-live`, `${name}-1`]);
    expect(first.body).toMatchObject({ hasMore: true, isComplete: true });
    expect(first.body.invocations).toMatchObject([
      { goneAt: null },
      { status: "completed", runs: [{ id: `${name}-s`, state: "completed" }] },
    ]);
    const next = await get(`/automations/${id}/invocations?limit=2&cursor=${String(first.body.nextCursor)}`);
    expect(ids(next)).toEqual([`${name}-2`, `${name}-3`]);
    expect(next.body).toMatchObject({ hasMore: false, nextCursor: null });
  });

  it("say that a budget took away older ones of the namespace, unless the automation is younger", async () => {
    const { id } = await people.makeAutomation();
    await cut([tenant, "strangers"], laterMs());
    const { body } = await get(`/automations/${id}/invocations`);
    expect(body.trimmed).toEqual([
      {
        namespace: tenant,
        since: expect.any(Number) as number,
        budget: "namespace",
        budgetBytes: 2_048,
        bytes: expect.any(Number) as number,
        message: expect.stringMatching(/2 KiB.*archive\.budgets\.namespace/) as string,
      },
    ]);
    await database.updateTable("trimmed").set({ newest_ms: 1 }).execute();
    expect((await get(`/automations/${id}/invocations`)).body).not.toHaveProperty("trimmed");
  });

  it("are those of the cluster while the archive is away, and say so", async () => {
    const { id } = await people.makeAutomation();
    await database.schema.alterTable("runs").renameTo("elsewhere").execute();
    const { status, body } = await get(`/automations/${id}/invocations`);
    await database.schema.alterTable("elsewhere").renameTo("runs").execute();
    expect([status, body]).toMatchObject([200, { invocations: [], isComplete: false }]);
  });
});

describe.each([
  ["runs", "runs"],
  ["sessions", "sessions"],
] as const)("archived %s", (kind, resource) => {
  const path = `/archive/${kind}`;

  /** Names of all pages. */
  async function listed(query: string, token?: string): Promise<string[]> {
    const names: string[] = [];
    for (let cursor: unknown = ""; typeof cursor === "string";) {
      const { body } = await get(`${path}?${query}limit=100${cursor && `&cursor=${cursor}`}`, token);
      names.push(...(body[kind === "runs" ? "invocations" : kind] as { id: string }[]).map(({ id }) => id));
      cursor = body.nextCursor;
    }
    return names;
  }

  it("take the right to list them, in the namespace or in all", async () => {
    const other = await people.caller([ours(resource, "get")]);
    const everywhere = await people.caller([ours(resource, "list")], "everywhere");
    const status = async (query: string, token?: string) => (await get(`${path}?${query}`, token)).status;
    expect(await status(`namespace=${tenant}`)).toBe(200);
    expect(await status(`namespace=${tenant}`, other)).toBe(403);
    expect(await status("")).toBe(403);
    expect(await status("namespace=elsewhere")).toBe(403);
    expect(await status("", everywhere)).toBe(200);
    expect(await status("namespace=nowhere", everywhere)).toBe(404);
    expect(await status("", "")).toBe(401);
  });

  it("show nothing of an earlier namespace of the same name", async () => {
    const before = { namespace: tenant, created_ms: Date.now() - 3_600_000 };
    await database
      .insertInto("runs")
      .values(aRunRow(`before-${kind}`, before))
      .execute();
    await database
      .insertInto("sessions")
      .values(aSessionRow(`before-${kind}`, before))
      .execute();
    const everywhere = await people.caller([ours(resource, "list")], "everywhere");
    expect((await listed(`namespace=${tenant}&`)).join(" ")).not.toContain("before-");
    // Of what other tests make in this cluster there may be more than a page.
    expect((await listed("", everywhere)).join(" ")).toContain(`before-${kind}`);
  });

  it("say what a budget took away, of the namespaces alone that the caller may list", async () => {
    await cut([tenant, "strangers"], laterMs());
    const everywhere = await people.caller([ours(resource, "list")], "everywhere");
    const named = async (query: string, token?: string): Promise<unknown> => {
      const { trimmed } = (await get(`${path}?${query}`, token)).body;
      return (trimmed as { namespace: string }[] | undefined)?.map(({ namespace }) => namespace).sort();
    };
    expect(await named(`namespace=${tenant}`)).toEqual([tenant]);
    expect(await named("", everywhere)).toEqual(["strangers", tenant].sort());
    const refused = await get(path);
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([403, expect.not.stringContaining("strangers")]);
    // Of an earlier namespace of the same name.
    await database.updateTable("trimmed").set({ newest_ms: 1 }).execute();
    expect(await named(`namespace=${tenant}`)).toBeUndefined();
  });

  it.each([
    "limit=0",
    "limit=101",
    "limit=",
    "limit=1e1",
    "cursor=1",
    "cursor=a.b",
    "cursor=1.a.b",
    "cursor=1.%27",
    "cursor=1.",
    "cursor=.a",
    "cursor=-1.a",
    "cursor=%2B1.a",
    "cursor=1e3.a",
    "cursor=1.a%0A",
    "cursor=1.a%00",
    "cursor=%EF%BC%91.a",
    `cursor=${"1".repeat(16)}.a`,
    `cursor=1.${"a".repeat(65)}`,
    "cursor=1.a&cursor=1.a",
    "limit=1&limit=1",
    "limit=%EF%BC%91",
    "limit=1.0",
    "limit=-1",
    "namespace=A",
    "namespace=",
    "namespace=a.b",
    "namespace=a%00",
    `namespace=${"a".repeat(64)}`,
    "namespace=a&namespace=a",
  ])("are refused for %s", async (query) => {
    const { status, body } = await get(`${path}?${query}`);
    expect([status, body.code]).toEqual([400, "InvalidRequest"]);
    expect(body.error).toContain(query.split("=")[0]);
  });

  it("are not there without an archive", async () => {
    const without = await openPeopleWorld();
    const token = await without.caller([ours(resource, "list")]);
    const answer = await without.send(`${path}?namespace=${without.world.tenant}`, { token });
    expect([answer.status, answer.body.error]).toEqual([404, expect.stringContaining("archive.mode")]);
    await without.close();
  });
});
