import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, chown, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { isIP } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import { run } from "../../hack/lib/command.ts";
import { ensurePki } from "../../hack/lib/pki.ts";
import { freePorts } from "../../hack/lib/ports.ts";
import { isRunning } from "../../hack/lib/processes.ts";
import { progressOnStderr } from "../../hack/lib/progress.ts";
import { ensurePostgresql } from "../../hack/toolchain/postgresql.ts";
import type { ArchiveConfig } from "../../src/gateway/archive/archive-config.ts";

type PostgresConfig = Extract<ArchiveConfig, { mode: "postgresql" }>;

/** A real PostgreSQL that takes TLS and passwords alone. */
export interface PostgresqlServer {
  /** How an archive reaches a new, empty database, which orders text by a language as most do. */
  newDatabase(): Promise<PostgresConfig>;
  /** What a query gives, a line a row, with `|` between columns. */
  query(database: string, sql: string): Promise<string[]>;
  /** SIGKILL to the server and to each process of a connection; resolves when all are gone. */
  kill(): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
}

const startLimitMs = 60_000;
const password = "only-for-tests";
const user = "runwright";

/** Starts a server with a folder of its own, by default on loopback; rejects with what it said when it does not come up. */
export async function startPostgresqlServer(host = "localhost"): Promise<PostgresqlServer> {
  const programs = await ensurePostgresql(progressOnStderr("PostgreSQL"));
  const folder = await mkdtemp(join(tmpdir(), "runwright-postgresql-"));
  const owner = await ownerOf(folder);
  const [data, credentials] = [join(folder, "data"), join(folder, "credentials")];
  await mkdir(credentials);
  const extension = `subjectAltName=${isIP(host) === 0 ? "DNS" : "IP"}:${host}`;
  await ensurePki(credentials, [{ name: "server", subject: "/CN=database", extension }]);
  await writeFile(join(credentials, "username"), user);
  await writeFile(join(credentials, "password"), password);
  await chmod(join(credentials, "server.key"), 0o600);
  if (owner.uid !== undefined) for (const place of [folder, credentials]) await give(place, owner);
  const [port = 0] = await freePorts(1);
  const initdb = ["-D", data, "-U", user, "--auth=scram-sha-256", `--pwfile=${join(credentials, "password")}`];
  await asOwner(programs, owner, "initdb", [...initdb, "--no-sync", "--encoding=UTF8", "--locale=C"]);
  await writeFile(join(data, "pg_hba.conf"), "hostssl all all all scram-sha-256\n");
  const settings = {
    port,
    listen_addresses: host,
    unix_socket_directories: "",
    ssl: "on",
    ssl_cert_file: join(credentials, "server.crt"),
    ssl_key_file: join(credentials, "server.key"),
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  let server: { process: ChildProcess; ended: Promise<unknown> } | undefined;
  const kill = async (): Promise<void> => {
    if (!server) return;
    const { pid = 0 } = server.process;
    // pgrep ends with 1 where there is none.
    const children = await run("pgrep", ["-P", String(pid)]).catch(() => "");
    const all = [pid, ...children.split("\n").filter(Boolean).map(Number)];
    for (const one of all.filter(isRunning)) process.kill(one, "SIGKILL");
    await server.ended;
    server = undefined;
    while (all.some(isRunning)) await delay(10);
  };
  const start = async (): Promise<void> => {
    let said = "";
    const child = spawn(join(programs, "postgres"), ["-D", data, ...flags], {
      ...owner,
      stdio: ["ignore", "ignore", "pipe"],
    });
    child.stderr.on("data", (text: Buffer) => (said += String(text)));
    server = { process: child, ended: once(child, "exit") };
    const deadline = performance.now() + startLimitMs;
    while (!said.includes("ready to accept connections")) {
      if (child.exitCode !== null || performance.now() > deadline) throw new Error(`PostgreSQL did not start: ${said}`);
      await delay(20);
    }
  };
  await start();
  const query = async (database: string, sql: string): Promise<string[]> => {
    const where = ["-h", host, "-p", String(port), "-U", user, "-d", database];
    const env = { PGPASSWORD: password, PGSSLMODE: "require" };
    const rows = await run(join(programs, "psql"), [...where, "--no-align", "--tuples-only", "-c", sql], { env });
    return rows.split("\n").filter(Boolean);
  };
  let databases = 0;
  return {
    start,
    kill,
    query,
    async newDatabase() {
      const database = `archive_${(databases += 1)}`;
      await query("postgres", `CREATE DATABASE ${database} TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en-US'`);
      return { mode: "postgresql", host, port, database, credentials };
    },
    async close() {
      await kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

interface Owner {
  uid?: number;
  gid?: number;
}

/** PostgreSQL refuses to run as root. */
async function ownerOf(folder: string): Promise<Owner> {
  if (process.getuid?.() !== 0) return {};
  const [uid, gid] = await Promise.all(["-u", "-g"].map(async (flag) => Number(await run("id", [flag, "postgres"]))));
  const owner = { uid: uid ?? 0, gid: gid ?? 0 };
  await give(folder, owner);
  return owner;
}

async function give(place: string, { uid = 0, gid = 0 }: Owner): Promise<void> {
  await chown(place, uid, gid);
  for (const entry of await readdir(place)) await chown(join(place, entry), uid, gid);
}

async function asOwner(programs: string, owner: Owner, program: string, args: readonly string[]): Promise<void> {
  let said = "";
  const child = spawn(join(programs, program), args, { ...owner, stdio: ["ignore", "ignore", "pipe"] });
  child.stderr.on("data", (text: Buffer) => (said += String(text)));
  const [status] = (await once(child, "close")) as [number | null];
  if (status !== 0) throw new Error(`${program} ended with status ${String(status)}: ${said}`);
}
