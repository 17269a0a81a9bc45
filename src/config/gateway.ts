import type { BlobStoreConfig } from "../blobs/open-blob-store.ts";
import type { ArchiveConfig } from "../gateway/archive/archive-config.ts";
import type { ArchiveBudgets } from "../gateway/archive/trim/archive-bounds.ts";
import type { BlobBudgets } from "../gateway/blobs/blob-budgets.ts";
import type { GatewayLimits } from "../gateway/start-gateway.ts";
import {
  type GitHubConfig,
  readArchiveMode,
  readDeliveryBaseUrl,
  readGitHub,
  readSandboxPort,
} from "./agreed-variables.ts";
import type { ReleaseConfig } from "./common.ts";
import { EnvironmentReader } from "./environment-reader.ts";
import type { Environment } from "./operator-settings.ts";

export interface GatewayConfig {
  sandboxPort: number;
  peoplePort: number;
  /** What people put before webhook paths, such as `https://hooks.example.com`. */
  deliveryBaseUrl: string;
  /** Where events, images and snapshots of sessions are kept. */
  blobStore: BlobStoreConfig;
  /** Where the history of Runs and Sessions is kept beyond the cluster. */
  archive: ArchiveConfig;
  /** Days for which the archive keeps what is gone, at least 90. */
  archiveRetentionDays: number;
  /** What the archive may have, by namespace and in all. */
  archiveBudgets: ArchiveBudgets;
  github: GitHubConfig;
  /** Lower-case names of request headers that pass through tunnels beside the usual ones. */
  tunnelRequestHeaders: readonly string[];
  /** Whether agents may attach files to their answers. */
  generatedMedia: boolean;
  /** What one address or namespace may have of a gateway replica. */
  limits: GatewayLimits;
  /** What saved workspaces and images may have of the blob store. */
  blobBudgets: BlobBudgets;
}

/** @throws ConfigError when a variable cannot be used. */
export function readGatewayConfig(environment: Environment, release: ReleaseConfig): GatewayConfig {
  const read = new EnvironmentReader(environment);
  return {
    sandboxPort: readSandboxPort(read),
    peoplePort: read.integer("RUNWRIGHT_PEOPLE_PORT", 8444, 0, 65_535),
    deliveryBaseUrl: readDeliveryBaseUrl(read),
    blobStore: readBlobStore(read, release),
    archive: readArchive(read),
    archiveRetentionDays: read.integer("RUNWRIGHT_ARCHIVE_RETENTION_DAYS", 400, 90, 36_500),
    archiveBudgets: {
      namespace: read.bytes("RUNWRIGHT_ARCHIVE_BUDGET_NAMESPACE"),
      total: read.bytes("RUNWRIGHT_ARCHIVE_BUDGET_TOTAL"),
    },
    github: readGitHub(read),
    tunnelRequestHeaders: readHeaderNames(read),
    generatedMedia: read.oneOf("RUNWRIGHT_GENERATED_MEDIA", "false", ["true", "false"]) === "true",
    limits: {
      connectionsPerAddress: read.integer("RUNWRIGHT_CONNECTIONS_PER_ADDRESS", 256, 16, 1_024),
      streamsPerNamespace: read.integer("RUNWRIGHT_STREAMS_PER_NAMESPACE", 512, 1, 1_024),
      peopleConnectionsPerAddress: read.integer("RUNWRIGHT_PEOPLE_CONNECTIONS_PER_ADDRESS", 1_024, 16, 4_096),
    },
    blobBudgets: {
      session: read.bytes("RUNWRIGHT_BLOB_BUDGET_SESSION"),
      namespace: read.bytes("RUNWRIGHT_BLOB_BUDGET_NAMESPACE"),
      total: read.bytes("RUNWRIGHT_BLOB_BUDGET_TOTAL"),
      events: {
        namespace: read.bytes("RUNWRIGHT_EVENT_BUDGET_NAMESPACE"),
        total: read.bytes("RUNWRIGHT_EVENT_BUDGET_TOTAL"),
      },
      capacity: read.bytes("RUNWRIGHT_BLOB_CAPACITY"),
    },
  };
}

function readArchive(read: EnvironmentReader): ArchiveConfig {
  const mode = readArchiveMode(read);
  switch (mode) {
    case "none":
      return { mode };
    case "embedded":
      return { mode, file: read.matching("RUNWRIGHT_ARCHIVE_FILE", path, "/var/lib/runwright/archive/archive.db") };
    case "postgresql":
      return {
        mode,
        host: read.text("RUNWRIGHT_ARCHIVE_HOST"),
        port: read.integer("RUNWRIGHT_ARCHIVE_PORT", 5432, 1, 65_535),
        database: read.text("RUNWRIGHT_ARCHIVE_DATABASE", "runwright"),
        credentials: read.matching("RUNWRIGHT_ARCHIVE_CREDENTIALS", path, "/var/run/runwright/archive"),
      };
  }
}

const headerNames = {
  pattern: /^([a-z0-9-]+(,[a-z0-9-]+)*)?$/,
  what: "names of headers in lower case with commas between them, or empty",
};

function readHeaderNames(read: EnvironmentReader): string[] {
  const names = read.matching("RUNWRIGHT_TUNNEL_REQUEST_HEADERS", headerNames, "");
  return names === "" ? [] : names.split(",");
}

const path = { pattern: /^\//, what: "an absolute path" };
const bucketName = { pattern: /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, what: "the name of a bucket, 3 to 63 characters" };
const keyPrefix = { pattern: /^([A-Za-z0-9._-]+\/)*$/, what: "empty or names that each end with a slash" };

function readBlobStore(read: EnvironmentReader, release: ReleaseConfig): BlobStoreConfig {
  const type = read.oneOf("RUNWRIGHT_BLOB_STORE", "directory", ["directory", "s3"]);
  if (type === "directory") {
    return { type, directory: read.matching("RUNWRIGHT_BLOB_DIRECTORY", path, "/var/lib/runwright/blobs") };
  }
  const endpoint = read.text("RUNWRIGHT_S3_ENDPOINT", "");
  return {
    type: "s3",
    bucket: read.matching("RUNWRIGHT_S3_BUCKET", bucketName),
    prefix: read.matching("RUNWRIGHT_S3_PREFIX", keyPrefix, `${release.namespace}/${release.name}/`),
    region: read.text("RUNWRIGHT_S3_REGION", "us-east-1"),
    endpoint: endpoint === "" ? undefined : read.url("RUNWRIGHT_S3_ENDPOINT", "Amazon's", ["http:", "https:"]),
    forcePathStyle: read.oneOf("RUNWRIGHT_S3_PATH_STYLE", "false", ["true", "false"]) === "true",
  };
}
