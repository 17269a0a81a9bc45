import { mkdir, readFile, statfs } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Kysely, PostgresDialect } from "kysely";
import type { Logger } from "../../telemetry/logger.ts";
import type { ArchiveConfig } from "./archive-config.ts";
import type { Tables } from "./schema/tables.ts";

export type Database = Kysely<Tables>;
type PostgresConfig = Extract<ArchiveConfig, { mode: "postgresql" }>;

/**
 * Opens the archive; undefined where there is none. A server is connected to later, so that the gateway starts without
 * it. Rejects where the embedded file cannot be written or the credentials cannot be read.
 */
export async function openArchive(config: ArchiveConfig, log: Pick<Logger, "warn">): Promise<Database | undefined> {
  // Each engine is loaded where it is wanted.
  switch (config.mode) {
    case "none":
      return undefined;
    case "embedded": {
      const { EmbeddedDialect } = await import("./sqlite/embedded-dialect.ts");
      await mkdir(dirname(config.file), { recursive: true });
      return new Kysely({ dialect: await EmbeddedDialect.open(config.file) });
    }
    case "postgresql":
      return new Kysely({ dialect: new PostgresDialect({ pool: await postgresPool(config, log) }) });
  }
}

/** Bytes of the volume that an embedded file is on; undefined of a server. */
export async function volumeBytesOf(config: ArchiveConfig): Promise<number | undefined> {
  if (config.mode !== "embedded") return undefined;
  const { bsize, blocks } = await statfs(dirname(config.file));
  return bsize * blocks;
}

/** Milliseconds for a connection, and for an answer. */
const connectMs = 10_000;
const answerMs = 30_000;
/** One for the writer, the others for queries. */
const mostConnections = 4;

async function postgresPool({ host, port, database, credentials }: PostgresConfig, log: Pick<Logger, "warn">) {
  const { default: pg } = await import("pg");
  const read = (name: string): Promise<string> => readFile(join(credentials, name), "utf8");
  const ca = await read("ca.crt").catch(() => undefined);
  const user = (await read("username")).trim();
  const pool = new pg.Pool({
    host,
    port,
    database,
    user,
    // At each connection, so that a new password needs no restart.
    password: async () => (await read("password")).replace(/\r?\n$/, ""),
    ssl: { ...(ca === undefined ? {} : { ca }), rejectUnauthorized: true, minVersion: "TLSv1.2" },
    max: mostConnections,
    connectionTimeoutMillis: connectMs,
    query_timeout: answerMs,
    statement_timeout: answerMs,
    keepAlive: true,
    application_name: "runwright",
    types: {
      // The driver gives bigint as text.
      getTypeParser: (type, format): unknown =>
        type === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(type, format),
    },
  });
  // Without both listeners, a server that ends a connection would end the gateway: the pool's own is for idle ones alone.
  pool.on("connect", (client) => {
    client.on("error", (error) => log.warn({ err: error }, "The archive's server ended a connection"));
  });
  pool.on("error", () => undefined);
  return pool;
}
