import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";

import { ArchiveStore } from "../../../src/gateway/archive/archive-store.ts";
import type { Database } from "../../../src/gateway/archive/open-archive.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { aPullRequestRow, aRunRow, aSessionRow } from "../../support/archive-rows.ts";
import { type EmbeddedArchive, openEmbeddedArchive } from "../../support/embedded-archive.ts";
import { type CliResult, runPlugin } from "../../support/cli.ts";
import { testCluster } from "../../support/cluster.ts";
import { makeCaller, openPeopleWorld, ours, type PeopleWorld } from "../../support/people-world.ts";
import { eventually } from "../../support/runtime-world.ts";

let people: PeopleWorld;
let archive: EmbeddedArchive;
let database: Database;
let connection: string[];
let automation: string;
/** A caller who may not list pull requests. */
let asLister: string[];
const hourMs = 3_600_000;

beforeAll(async () => {
  archive = await openEmbeddedArchive();
  ({ database } = archive);
  people = await openPeopleWorld(undefined, { database, retentionDays: 400 });
  const { world } = people;
  const rights = [ours("automations", "get"), ours("runs", "list"), ours("sessions", "list")];
  await makeCaller(world, [...rights, ours("pullrequests", "list")], "tenant", "reader");
  await makeCaller(world, rights, "tenant", "lister");
  asLister = ["--service-account", `${world.tenant}/lister`];
  const authority = join(world.directory, "cli-ca.pem");
  await writeFile(authority, world.ca);
  const { name, namespace } = world.release;
  connection = ["--kubeconfig", testCluster().kubeconfig, "--service-account", `${world.tenant}/reader`];
  connection.push("--release", name, "--release-namespace", namespace, "-n", world.tenant);
  connection.push("--server", people.gateway.peopleUrl, "--certificate-authority", authority);
  const made = await people.makeAutomation();
  automation = made.name;
  const term = await eventually("the archive is there", async () => {
    const row = await database
      .selectFrom("writer")
      .select("term")
      .executeTakeFirst()
      .catch(() => undefined);
    return row?.term !== undefined && row.term > 0 ? row.term : undefined;
  });
  // What the API server does not have, the archive's first list marks as gone: these are gone from the start.
  const mine = { namespace: world.tenant, created_ms: Date.now(), gone_ms: Date.now() };
  const ended = {
    ...mine,
    state: "idle",
    requested_by: "ana\u001b[31m",
    idle_ms: Date.now() + 90_000,
    cost_micro: 250_000,
  };
  const ofRun = { ...mine, source: "automation", automation_uid: made.uid };
  const pruned = { namespace: world.tenant, automation: made.name, automation_uid: made.uid, gone_ms: 1 };
  await new ArchiveStore(database, systemClock).write(term, {
    runs: Array.from({ length: 130 }, (_, at) =>
      aRunRow(`r${at}`, { ...pruned, created_ms: Date.now() - at * hourMs, state: "completed", ended_ms: null }),
    ),
    sessions: [
      aSessionRow("s1", { ...ended, outcome: "completed" }),
      aSessionRow("s2", { ...ended, outcome: "failed" }),
      aSessionRow("s3", ofRun),
    ],
    pullRequests: [
      aPullRequestRow("p1", { ...mine, repository: "api\u001b[31m", cost_micro: 500_000 }),
      aPullRequestRow("p2", {
        ...mine,
        repository: "api\u001b[31m",
        source: "automation",
        state: "merged",
        created_ms: Date.now(),
        merged_ms: Date.now(),
        cost_micro: 1_000_000,
      }),
    ],
  });
});
afterAll(async () => {
  await people.close();
  await archive.close();
});

const call = (...argv: string[]): Promise<CliResult> => runPlugin([...argv, ...connection]);

describe("analytics", () => {
  it("shows figures of the namespace", async () => {
    const { status, out } = await call("analytics");
    expect(status).toBe(0);
    expect(out).toMatch(/^Sessions +2$/m);
    expect(out).toMatch(/^ {2}archived +2$/m);
    expect(out).toMatch(/^Completion rate +50 %$/m);
    expect(out).toMatch(/^Cost +\$0\.5$/m);
  });

  it("shows them by user, without what a terminal would obey", async () => {
    const { out } = await call("analytics", "--by", "user", "--days", "7");
    expect(out).toMatch(
      /^USER +SESSIONS +COMPLETED +FAILED +CANCELLED +RATE +COST +DURATION\nana\S* +2 +1 +1 +0 +50 % +\$0\.5 +\S+\n$/,
    );
    expect(out).not.toContain("\u001b");
  });

  it("counts by automation the sessions of Automations, and others where it is told to", async () => {
    expect((await call("analytics", "--by", "automation")).out).toMatch(new RegExp(` ${automation} +1 +0 +0 +0 +- `));
    expect((await call("analytics", "--by", "automation", "--scope", "people")).out).toMatch(/No automation +2 /);
  });

  it("gives what the gateway answered as JSON and YAML", async () => {
    const { out } = await call("analytics", "-o", "json", "--scope", "all");
    expect(JSON.parse(out)).toMatchObject({ totalSessions: 3, statusBreakdown: { created: 0, archived: 3 } });
    expect(parse((await call("analytics", "-o", "yaml", "--by", "repository")).out)).toMatchObject({
      entries: [{ key: null, sessions: 2 }],
    });
  });

  it.each([
    ["--days", "31"],
    ["--days", ""],
    ["--by", "repo"],
    ["--scope", "everybody"],
  ])("refuses %s %j", async (flag, value) => {
    const { status, err } = await call("analytics", flag, value);
    expect([status, err]).toEqual([2, expect.stringContaining("it can only be")]);
  });

  it("says which right is missing", async () => {
    const { status, err } = await call("analytics", "-A");
    expect([status, err]).toEqual([1, expect.stringMatching(/may not list sessions.* in all namespaces/)]);
  });

  it("says that there are none", async () => {
    const { out, err } = await call("analytics", "--by", "user", "--scope", "agents");
    expect([out, err]).toEqual(["", "No sessions in the last 30 days"]);
  });
});

describe("analytics --pull-requests", () => {
  it("shows what became of those of the last days, and what is open now", async () => {
    const { status, out } = await call("analytics", "--pull-requests");
    expect(status).toBe(0);
    expect(out).toMatch(/^Created +2\n {2}draft +0\n {2}open +1\n {2}merged +1\n {2}closed +0$/m);
    expect(out).toMatch(/^ {2}by people +1\n {2}by automations +1\n {2}by agents +0$/m);
    expect(out).toMatch(/^Acceptance rate +100 %$/m);
    expect(out).toMatch(/^Cost a merge +\$1.5\nMerged +1\nTime to merge +0s\nOpen now +0\nDrafts now +0$/m);
  });

  it("shows them by Repository, without what a terminal would obey", async () => {
    const { out } = await call("analytics", "--pull-requests", "--by", "repository", "--days", "7");
    expect(out).toMatch(/^NAMESPACE +REPOSITORY +CREATED +MERGED\n\S+ +api\S* +2 +1\n$/);
    expect(out).not.toContain("\u001b");
  });

  it("gives what the gateway answered as JSON", async () => {
    const { out } = await call("analytics", "--pull-requests", "-o", "json", "--days", "90");
    expect(JSON.parse(out)).toMatchObject({ funnel: { created: 2 }, byRepository: [{ created: 2, merged: 1 }] });
  });

  it.each([
    [["--scope", "all"], "leave out --scope"],
    [["--by", "user"], "only be grouped by repository"],
    [["--days", "31"], "it can only be"],
  ])("refuses %j", async (flags, says) => {
    const { status, err } = await call("analytics", "--pull-requests", ...flags);
    expect([status, err]).toEqual([2, expect.stringContaining(says)]);
  });

  it("says which right is missing", async () => {
    const { status, err } = await runPlugin(["analytics", "--pull-requests", ...connection, ...asLister]);
    expect([status, err]).toEqual([1, expect.stringMatching(/may not list pullrequests/)]);
  });
});

describe("runs --since", () => {
  it("lists what only the archive has, newest first, and says that there are more", async () => {
    const { out, err, status } = await call("runs", automation, "--since", "400d", "-o", "name", "--limit", "120");
    expect(status).toBe(0);
    expect(out.trim().split("\n")).toEqual(Array.from({ length: 120 }, (_, at) => `run.runwright.dev/r${at}`));
    expect(err).toBe("There are more; --limit 240 shows further ones");
  });

  it("says where a budget took older ones away, where the list comes to it", async () => {
    await database
      .insertInto("trimmed")
      .values({
        namespace: people.world.tenant,
        newest_ms: Date.now() + hourMs,
        budget: "namespace",
        budget_bytes: 2_048,
      })
      .execute();
    const said = /^History of namespace \S+ is whole only after .* 2 KiB .*\(archive\.budgets\.namespace\)$/;
    expect((await call("runs", automation, "--since", "125m")).err).toMatch(said);
    expect((await call("runs", automation, "--since", "400d", "--limit", "120")).err).toMatch(/^There are more;.*\S$/);
    await database.deleteFrom("trimmed").execute();
  });

  it("ends at the time", async () => {
    const { out, err } = await call("runs", automation, "--since", "125m");
    expect(out).toMatch(/^NAME +SOURCE +STATUS/);
    expect(out.match(/^r\d+ +event +completed/gm)).toHaveLength(3);
    expect(err).toBe("");
  });

  it.each(["0d", "x", "90"])("refuses %s", async (since) => {
    expect(await call("runs", automation, "--since", since)).toMatchObject({ status: 2 });
  });

  it("says that an Automation is not there", async () => {
    const { status, err } = await call("runs", "nothing", "--since", "1d");
    expect([status, err]).toEqual([1, expect.stringContaining("there is no automation")]);
  });

  it("says that the archive is away, and shows what the cluster has", async () => {
    await database.schema.alterTable("runs").renameTo("elsewhere").execute();
    const { status, err } = await call("runs", automation, "--since", "1d");
    await database.schema.alterTable("elsewhere").renameTo("runs").execute();
    expect(status).toBe(0);
    expect(err).toContain("The archive cannot be read now");
  });
});
