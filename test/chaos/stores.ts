import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";

import { addressForPods } from "../e2e/support/address-for-pods.ts";
import { release } from "../e2e/support/install.ts";
import { apply, type Workbench } from "../e2e/support/workbench.ts";
import { startPostgresqlServer } from "../support/postgresql-server.ts";
import { type S3Server, startS3Server } from "../support/s3-server.ts";

/** Where the release keeps what is not in the cluster. */
export const storeNames = ["database", "bucket"] as const;
export type StoreName = (typeof storeNames)[number];

/** A PostgreSQL and an S3 server on this machine, which pods of the local cluster reach. */
export interface Stores {
  /** Values with which the release uses them, as `--set` takes them. */
  readonly sets: readonly string[];
  /** SIGKILL. */
  kill(name: StoreName): Promise<void>;
  start(name: StoreName): Promise<void>;
  /** UIDs of the Runs that have ended, as the archive has them. */
  archivedRuns(): Promise<string[]>;
  /** UIDs of the sessions that have blobs. */
  sessionsWithBlobs(): Promise<string[]>;
  close(): Promise<void>;
}

const loginName = "archive-login";
const bucketSecretName = "bucket-login";

/** Starts both, with one Secret for each in the release's namespace. */
export async function startStores(bench: Workbench): Promise<Stores> {
  const address = addressForPods();
  const [database, bucket] = await Promise.all([startPostgresqlServer(address), startS3Server(address)]);
  const servers = { database, bucket };
  const close = async (): Promise<void> => {
    await Promise.all([database.close(), bucket.close()]);
  };
  const config = await database.newDatabase();
  try {
    await makeLogins(bench, config.credentials, bucket.credentials);
  } catch (error) {
    await close();
    throw error;
  }
  const postgresql = {
    host: config.host,
    port: config.port,
    database: config.database,
    credentialsSecretName: loginName,
  };
  const s3 = {
    bucket: bucket.bucket,
    endpoint: bucket.url,
    forcePathStyle: true,
    credentialsSecretName: bucketSecretName,
  };
  const valuesOf = (path: string, values: object): string[] =>
    Object.entries(values).map(([name, value]) => `${path}.${name}=${value}`);
  return {
    sets: [
      "archive.mode=postgresql",
      ...valuesOf("archive.postgresql", postgresql),
      "gateway.blobStore.type=s3",
      ...valuesOf("gateway.blobStore.s3", s3),
    ],
    kill: (name) => servers[name].kill(),
    start: (name) => servers[name].start(),
    archivedRuns: () => database.query(config.database, "SELECT uid FROM runs WHERE ended_ms IS NOT NULL"),
    async sessionsWithBlobs() {
      // The chart's default prefix; below it, a session's blobs are in a folder of its UID.
      const folder = join(bucket.folder, bucket.bucket, release.namespace, release.name);
      if (!existsSync(folder)) return [];
      const entries = await readdir(folder, { recursive: true, withFileTypes: true });
      const files = entries.filter((entry) => entry.isFile());
      return [...new Set(files.map(({ parentPath }) => relative(folder, parentPath).split("/")[0] ?? ""))];
    },
    close,
  };
}

/** Secrets of the release's namespace, which is made where it is not there. */
async function makeLogins(bench: Workbench, folder: string, keys: S3Server["credentials"]): Promise<void> {
  const login = ["username", "password", "ca.crt"].map(
    async (name) => [name, await readFile(join(folder, name), "utf8")] as const,
  );
  const { namespace } = release;
  const secretOf = (name: string, stringData: object): object => {
    return { apiVersion: "v1", kind: "Secret", metadata: { name, namespace }, stringData };
  };
  await apply(bench, [
    { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } },
    secretOf(loginName, Object.fromEntries(await Promise.all(login))),
    secretOf(bucketSecretName, { AWS_ACCESS_KEY_ID: keys.accessKeyId, AWS_SECRET_ACCESS_KEY: keys.secretAccessKey }),
  ]);
}
