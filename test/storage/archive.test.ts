import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";

import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { ArchiveConfig } from "../../src/gateway/archive/archive-config.ts";
import { ArchiveStore } from "../../src/gateway/archive/archive-store.ts";
import { type Database, openArchive } from "../../src/gateway/archive/open-archive.ts";
import { FakeClock } from "../../src/lib/fake-clock.ts";
import { itKeepsBudgets } from "../support/archive-budgets-contract.ts";
import { itKeepsHistory } from "../support/archive-contract.ts";
import { itCountsPullRequests } from "../support/archive-pull-requests-contract.ts";
import { itOutlivesFailures } from "../support/archive-faults-contract.ts";
import { itSumsUpSessions } from "../support/archive-figures-contract.ts";
import { itListsHistory } from "../support/archive-lists-contract.ts";
import { itKeepsSums } from "../support/archive-sums-contract.ts";
import { itMigrates } from "../support/archive-migrations-contract.ts";
import { itHasMonths } from "../support/archive-months-contract.ts";
import { itLooksAtLittle } from "../support/archive-plans-contract.ts";
import { aRunRow } from "../support/archive-rows.ts";
import { type PostgresqlServer, startPostgresqlServer } from "../support/postgresql-server.ts";

const silent = { warn: () => undefined };
let folder: string;
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), "runwright-archive-"))));
afterAll(() => rm(folder, { recursive: true, force: true }));

async function opened(config: ArchiveConfig): Promise<Database> {
  const database = await openArchive(config, silent);
  if (!database) throw new Error("there is no archive");
  return database;
}

const batches = 4;
const killed = join(import.meta.dirname, "..", "support", "archive-writer-process.ts");

/** Has a process write 2,000 Runs in 4 batches and kill itself at a moment of one of them; returns what it said. */
async function writeAll(config: ArchiveConfig, killedIn: number, moment = ""): Promise<string> {
  const argv = [killed, JSON.stringify(config), String(batches * 500), String(killedIn), moment];
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", ...argv], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  const said = await text(child.stdout);
  expect(await ended).toEqual(killedIn === 0 ? [0, null] : [null, "SIGKILL"]);
  return said;
}

async function survivesKills(config: ArchiveConfig): Promise<void> {
  const database = await opened(config);
  for (let killedIn = 1; killedIn <= batches; killedIn += 1) {
    for (const moment of ["begun", "halfway", "written"]) {
      await writeAll(config, killedIn, moment);
      const rows = await database.selectFrom("runs").select("uid").execute();
      expect(rows).toHaveLength((moment === "written" ? killedIn : killedIn - 1) * 500);
    }
  }
  expect(await writeAll(config, 0)).toBe("stored\n");
  const rows = await database.selectFrom("runs").select(["uid", "gone_ms"]).execute();
  expect(new Set(rows.map(({ uid }) => uid)).size).toBe(batches * 500);
  expect(rows).toHaveLength(batches * 500);
  expect(rows.filter(({ gone_ms }) => gone_ms !== null)).toEqual([]);
  await database.destroy();
}

describe("embedded", () => {
  let files = 0;
  const newFile = (): string => join(folder, `${(files += 1)}`, "archive.db");

  describe("writes", () => itKeepsHistory(() => opened({ mode: "embedded", file: newFile() })));
  describe("has all of it once after a failure", () =>
    itOutlivesFailures("embedded", () => opened({ mode: "embedded", file: newFile() })));
  describe("sums up sessions", () => itSumsUpSessions(() => opened({ mode: "embedded", file: newFile() })));
  describe("of pull requests", () => itCountsPullRequests(() => opened({ mode: "embedded", file: newFile() })));
  describe("gives a list", () => itListsHistory(() => opened({ mode: "embedded", file: newFile() })));
  describe("sums", () => itKeepsSums(() => opened({ mode: "embedded", file: newFile() })));
  describe("looks at little", () => itLooksAtLittle(() => opened({ mode: "embedded", file: newFile() })));
  describe("keeps budgets", () => itKeepsBudgets(() => opened({ mode: "embedded", file: newFile() })));
  describe("migrates", () => itMigrates(() => opened({ mode: "embedded", file: newFile() })));

  it("is there for the next process", async () => {
    const file = newFile();
    const first = await opened({ mode: "embedded", file });
    const store = new ArchiveStore(first, new FakeClock());
    await store.write(await store.begin(), { runs: [aRunRow("r")], sessions: [] });
    await first.destroy();
    const second = await opened({ mode: "embedded", file });
    expect(await second.selectFrom("runs").select("uid").execute()).toEqual([{ uid: "r" }]);
    await second.destroy();
  });

  it("has every row once after its writer was killed at every moment of every batch", () =>
    survivesKills({ mode: "embedded", file: newFile() }));

  it("takes nothing while its disk is full, and goes on once there is room", async () => {
    const database = await opened({ mode: "embedded", file: newFile() });
    const store = new ArchiveStore(database, new FakeClock());
    const term = await store.begin();
    await sql`PRAGMA max_page_count = 20`.execute(database);
    const batch = { runs: Array.from({ length: 500 }, (_, at) => aRunRow(`r${at}`)), sessions: [] };
    await expect(store.write(term, batch)).rejects.toThrow("full");
    expect(await database.selectFrom("runs").select("uid").execute()).toEqual([]);
    await sql`PRAGMA max_page_count = 20000`.execute(database);
    await store.write(term, batch);
    expect(await database.selectFrom("runs").select("uid").execute()).toHaveLength(500);
    await database.destroy();
  });

  it("says which file cannot be opened", async () => {
    await writeFile(join(folder, "file"), "");
    await expect(opened({ mode: "embedded", file: join(folder, "file", "archive.db") })).rejects.toThrow("file");
  });
});

describe("PostgreSQL", () => {
  let server: PostgresqlServer;
  let shared: ArchiveConfig;
  beforeAll(async () => {
    server = await startPostgresqlServer();
    shared = await server.newDatabase();
  });
  afterAll(() => server.close());

  /** One database for many tests: a server with hundreds of them takes a minute to start again. */
  const emptied = async (): Promise<Database> => {
    const database = await opened(shared);
    await database.schema.dropSchema("public").cascade().execute();
    await database.schema.createSchema("public").execute();
    return database;
  };
  describe("writes", () => itKeepsHistory(emptied));
  describe("has all of it once after a failure", () => itOutlivesFailures("PostgreSQL", emptied));
  describe("sums up sessions", () => itSumsUpSessions(emptied));
  describe("of pull requests", () => itCountsPullRequests(emptied));
  describe("gives a list", () => itListsHistory(emptied));
  describe("sums", () => itKeepsSums(emptied));
  describe("looks at little", () => itLooksAtLittle(emptied));
  describe("keeps budgets", () => itKeepsBudgets(emptied));
  describe("migrates", () => itMigrates(emptied));
  describe("has a partition", () => itHasMonths(emptied));

  it("takes a new password without a restart, and goes on when the server is back", async () => {
    const config = await server.newDatabase();
    const database = await opened(config);
    const store = new ArchiveStore(database, new FakeClock());
    const term = await store.begin();
    await server.kill();
    await expect(store.write(term, { runs: [aRunRow("r")], sessions: [] })).rejects.toThrow();
    await server.start();
    const password = join(config.credentials, "password");
    await writeFile(password, "wrong");
    await expect(store.write(term, { runs: [aRunRow("r")], sessions: [] })).rejects.toThrow("password");
    await writeFile(password, "only-for-tests\n");
    await store.write(term, { runs: [aRunRow("r")], sessions: [] });
    expect(await database.selectFrom("runs").select("uid").execute()).toEqual([{ uid: "r" }]);
    await database.destroy();
  });

  it("has every row once after its writer was killed at every moment of every batch", async () =>
    survivesKills(await server.newDatabase()));

  it("takes nothing while the server refuses writes, as one with a full disk does, and goes on once it takes them", async () => {
    const database = await opened(await server.newDatabase());
    const store = new ArchiveStore(database, new FakeClock());
    const term = await store.begin();
    const refuse = (how: "on" | "off") =>
      sql`SELECT set_config('default_transaction_read_only', ${how}, false)`.execute(database);
    await refuse("on");
    const batch = { runs: [aRunRow("r")], sessions: [] };
    await expect(store.write(term, batch)).rejects.toThrow("read-only");
    await refuse("off");
    await store.write(term, batch);
    expect(await database.selectFrom("runs").select("uid").execute()).toEqual([{ uid: "r" }]);
    await database.destroy();
  });

  it("outlives a connection that the server ends within a transaction", async () => {
    const database = await opened(await server.newDatabase());
    const store = new ArchiveStore(database, new FakeClock());
    const term = await store.begin();
    const ended = database.transaction().execute(async (transaction) => {
      await sql`SELECT pg_terminate_backend(pg_backend_pid())`.execute(transaction);
    });
    await expect(ended).rejects.toThrow("terminat");
    await store.write(term, { runs: [aRunRow("r")], sessions: [] });
    expect(await database.selectFrom("runs").select("uid").execute()).toEqual([{ uid: "r" }]);
    await database.destroy();
  });

  it("speaks to no server that it cannot verify", async () => {
    const config = await server.newDatabase();
    const other = await mkdtemp(join(folder, "credentials-"));
    await writeFile(join(other, "username"), "runwright");
    await writeFile(join(other, "password"), "only-for-tests");
    const unknown = await opened({ ...config, credentials: other });
    await expect(new ArchiveStore(unknown, new FakeClock()).begin()).rejects.toThrow("certificate");
    await unknown.destroy();
    const misnamed = await opened({ ...config, host: "127.0.0.1" });
    await expect(new ArchiveStore(misnamed, new FakeClock()).begin()).rejects.toThrow("127.0.0.1");
    await misnamed.destroy();
  });
});
