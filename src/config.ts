import { isCidr } from "./lib/cidr.ts";
import { dnsLabel } from "./lib/dns-label.ts";
import type { BlobStoreConfig } from "./blobs/open-blob-store.ts";
import type { BlobBudgets } from "./gateway/blobs/blob-budgets.ts";
import { quantityValue } from "./lib/quantity.ts";
import type { GatewayLimits } from "./gateway/start-gateway.ts";
import type { ArchiveConfig } from "./gateway/archive/archive-config.ts";

/** The only reader of the environment. A bad value stops the process at start. */

import type { OperatorSettings } from "./domain/settings/execution-timeout.ts";
import { ConfigError } from "./config-error.ts";
import { type Environment, readOperatorSettings } from "./operator-settings.ts";

export const processNames = ["controller", "ingress", "gateway"] as const;
export type ProcessName = (typeof processNames)[number];

/** Where this process and its release live. */
export interface ReleaseConfig {
  name: string;
  namespace: string;
  keysNamespace: string;
  sessionsNamespace: string;
}

export interface CommonConfig {
  release: ReleaseConfig;
  /** Identity of this replica in Leases, events and logs. */
  podName: string;
  /** UID of this replica's Pod, so that what it alone writes goes with it; absent outside a cluster. */
  podUid?: string | undefined;
  /** Address of this replica's Pod; absent outside a cluster. */
  podIp?: string | undefined;
  /** Namespaces whose objects are served; none = all of the cluster. */
  watchNamespaces: readonly string[];
  logLevel: string;
  /** Health and metrics. */
  observabilityPort: number;
}

export interface ControllerConfig {
  operator: OperatorSettings;
  tunnels: {
    /** Where people have the gateway, such as `https://gateway.example.com`; tunnels' URLs begin with it. */
    peopleUrl: string;
    /** How long `start.sh` waits for the URLs of tunnels. */
    waitSeconds: number;
  };
  /** What senders put before webhook paths, such as `https://hooks.example.com`. */
  deliveryBaseUrl: string;
  /** From the Pod's creation until it is ready, in milliseconds; more than the connect watchdog's 240,000. */
  bootTimeoutMs: number;
  /** Image of sandboxes whose class names none. */
  sandboxImage: string;
  /** Where runtimes connect, such as `wss://runwright-gateway.runwright-system.svc:8443`. */
  gatewayUrl: string;
  /** Ranges that sandboxes must not reach as part of the internet, beside those that are found in the cluster. */
  egressExceptCIDRs: readonly string[];
  /** Port of the gateway's pods behind that URL, which network policies name. */
  sandboxPort: number;
  github: GitHubConfig;
  /** Whether the gateway keeps an archive, for which pruning waits. */
  hasArchive: boolean;
  /** Who keeps the gateway's certificate: the controller by an authority of its own, or cert-manager. */
  gatewayCertificate: GatewayCertificate;
}

const gatewayCertificates = ["self-managed", "cert-manager"] as const;
export type GatewayCertificate = (typeof gatewayCertificates)[number];

export interface IngressConfig {
  port: number;
}

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
  github: GitHubConfig;
  /** Lower-case names of request headers that pass through tunnels beside the usual ones. */
  tunnelRequestHeaders: readonly string[];
  /** What one address or namespace may have of a gateway replica. */
  limits: GatewayLimits;
  /** What saved workspaces and images may have of the blob store. */
  blobBudgets: BlobBudgets;
}

/** Controller and gateway must agree on it. */
interface GitHubConfig {
  /** APIs of GitHub from which tokens of Apps may be requested, such as `https://api.github.com`. */
  apiURLs: readonly string[];
}

const connectWatchdogMs = 240_000;
const logLevels = ["trace", "debug", "info", "warn", "error", "fatal"];

class Reader {
  readonly #environment: Environment;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  text(variable: string, fallback?: string): string {
    const value = this.#environment[variable];
    if (value !== undefined && value !== "") return value;
    if (fallback !== undefined) return fallback;
    throw new ConfigError(variable, value, "it must be set", "it has no default");
  }

  matching(variable: string, { pattern, what }: { pattern: RegExp; what: string }, fallback?: string): string {
    const value = this.text(variable, fallback);
    if (pattern.test(value)) return value;
    const preset = fallback === undefined ? "it has no default" : `the default is ${fallback}`;
    throw new ConfigError(variable, value, `it must be ${what}`, preset);
  }

  /** A whole number of at least `min` and at most `max`. */
  integer(variable: string, fallback: number, min: number, max = Number.MAX_SAFE_INTEGER): number {
    const value = this.#environment[variable];
    if (value === undefined || value === "") return fallback;
    const number = Number(value);
    if (/^[0-9]+$/.test(value) && number >= min && number <= max) return number;
    const bounds =
      max === Number.MAX_SAFE_INTEGER ? `of at least ${String(min)}` : `from ${String(min)} to ${String(max)}`;
    throw new ConfigError(variable, value, `it must be a whole number ${bounds}`, `the default is ${String(fallback)}`);
  }

  oneOf<Word extends string>(variable: string, fallback: Word, allowed: readonly Word[]): Word {
    const value = this.text(variable, fallback);
    const found = allowed.find((word) => word === value);
    if (found !== undefined) return found;
    throw new ConfigError(variable, value, `it must be one of ${allowed.join(", ")}`, `the default is ${fallback}`);
  }

  /** With commas between them. */
  urls(variable: string, fallback: string, schemes: readonly string[]): string[] {
    const values = this.text(variable, fallback).split(",");
    if (values.every((value) => URL.canParse(value.trim()) && schemes.includes(new URL(value.trim()).protocol))) {
      return values.map((value) => value.trim().replace(/\/+$/, ""));
    }
    const must = `it must be URLs that start with ${schemes.join("// or ")}//, with commas between them`;
    throw new ConfigError(variable, values.join(","), must, `the default is ${fallback}`);
  }

  url(variable: string, fallback: string, schemes: readonly string[]): string {
    const value = this.text(variable, fallback);
    if (URL.canParse(value) && schemes.includes(new URL(value).protocol)) return value.replace(/\/+$/, "");
    throw new ConfigError(
      variable,
      value,
      `it must be a URL that starts with ${schemes.join("// or ")}//`,
      `the default is ${fallback}`,
    );
  }
}

/** @throws ConfigError when a variable cannot be used. */
export function readCommonConfig(environment: Environment): CommonConfig {
  const read = new Reader(environment);
  const namespace = read.text("RUNWRIGHT_NAMESPACE", "runwright-system");
  const name = read.text("RUNWRIGHT_RELEASE", "runwright");
  return {
    release: {
      name,
      namespace,
      keysNamespace: read.text("RUNWRIGHT_KEYS_NAMESPACE", `${namespace}-${name}-keys`),
      sessionsNamespace: read.text("RUNWRIGHT_SESSIONS_NAMESPACE", `${namespace}-${name}-sessions`),
    },
    podName: read.text("POD_NAME"),
    podUid: environment.POD_UID,
    podIp: environment.POD_IP,
    watchNamespaces: readWatchNamespaces(read),
    logLevel: read.oneOf("LOG_LEVEL", "info", logLevels),
    observabilityPort: read.integer("RUNWRIGHT_OBSERVABILITY_PORT", 9090, 0, 65_535),
  };
}

const namespaceNames = {
  pattern: new RegExp(`^${dnsLabel}(,${dnsLabel})*$`),
  what: "names of namespaces with commas between them, or empty for all of the cluster",
};

function readWatchNamespaces(read: Reader): string[] {
  const variable = "RUNWRIGHT_WATCH_NAMESPACES";
  if (read.text(variable, "") === "") return [];
  const value = read.matching(variable, namespaceNames);
  const names = value.split(",");
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated === undefined) return names;
  throw new ConfigError(variable, value, `it must name ${repeated} once`, "the default is all of the cluster");
}

/** As for `sandboxTimeoutMs`: 7 days. */
const longestBudgetMs = 604_800_000;

/** @throws ConfigError when a variable cannot be used. */
export function readControllerConfig(environment: Environment, release: ReleaseConfig): ControllerConfig {
  const read = new Reader(environment);
  return {
    operator: {
      settings: readOperatorSettings(environment),
      executionTimeoutMs: read.integer("EXECUTION_TIMEOUT_MS", 7_200_000, 1, longestBudgetMs),
    },
    tunnels: {
      peopleUrl: read.url("RUNWRIGHT_PEOPLE_URL", `https://${release.name}-gateway.${release.namespace}.svc:8444`, [
        "https:",
      ]),
      waitSeconds: read.integer("TUNNEL_WAIT_TIMEOUT_SECONDS", 30, 0, longestBudgetMs / 1_000),
    },
    deliveryBaseUrl: readDeliveryBaseUrl(read),
    bootTimeoutMs: read.integer("SANDBOX_BOOT_TIMEOUT_MS", 1_800_000, connectWatchdogMs + 1, longestBudgetMs),
    sandboxImage: read.text("RUNWRIGHT_SANDBOX_IMAGE"),
    gatewayUrl: read.url("RUNWRIGHT_GATEWAY_URL", `wss://${release.name}-gateway.${release.namespace}.svc:8443`, [
      "wss:",
    ]),
    egressExceptCIDRs: readExceptCIDRs(read),
    sandboxPort: readSandboxPort(read),
    github: readGitHub(read),
    hasArchive: readArchiveMode(read) !== "none",
    gatewayCertificate: read.oneOf("RUNWRIGHT_GATEWAY_CERTIFICATE", "self-managed", gatewayCertificates),
  };
}

/** IPv4 ranges of at least 1 bit, IPv6 ones of at least 4: a policy's exceptions must be narrower than the internet. */
function readExceptCIDRs(read: Reader): string[] {
  const variable = "RUNWRIGHT_EGRESS_EXCEPT_CIDRS";
  const value = read.text(variable, "");
  const ranges = value === "" ? [] : value.split(",");
  const isNarrow = (range: string): boolean => Number(range.split("/")[1]) >= (range.includes(":") ? 4 : 1);
  const wrong = ranges.find((range) => !isCidr(range) || !isNarrow(range));
  if (wrong === undefined) return ranges;
  const must = `${wrong} must be a range such as 203.0.113.0/24 or 2001:db8::/32, narrower than the whole internet`;
  throw new ConfigError(variable, value, must, "the default is none");
}

/** @throws ConfigError when a variable cannot be used. */
export function readIngressConfig(environment: Environment): IngressConfig {
  return { port: new Reader(environment).integer("RUNWRIGHT_INGRESS_PORT", 8080, 0, 65_535) };
}

/** Controller and gateway must agree on it. */
function readDeliveryBaseUrl(read: Reader): string {
  return read.url("RUNWRIGHT_BASE_URL", "http://localhost:8080", ["http:", "https:"]);
}

/** Controller and gateway must agree on it. */
function readSandboxPort(read: Reader): number {
  return read.integer("RUNWRIGHT_SANDBOX_PORT", 8443, 0, 65_535);
}

function readGitHub(read: Reader): GitHubConfig {
  return { apiURLs: read.urls("RUNWRIGHT_GITHUB_API_URLS", "https://api.github.com", ["https:"]) };
}

/** @throws ConfigError when a variable cannot be used. */
export function readGatewayConfig(environment: Environment, release: ReleaseConfig): GatewayConfig {
  const read = new Reader(environment);
  return {
    sandboxPort: readSandboxPort(read),
    peoplePort: read.integer("RUNWRIGHT_PEOPLE_PORT", 8444, 0, 65_535),
    deliveryBaseUrl: readDeliveryBaseUrl(read),
    blobStore: readBlobStore(read, release),
    archive: readArchive(read),
    archiveRetentionDays: read.integer("RUNWRIGHT_ARCHIVE_RETENTION_DAYS", 400, 90, 36_500),
    github: readGitHub(read),
    tunnelRequestHeaders: readHeaderNames(read),
    limits: {
      connectionsPerAddress: read.integer("RUNWRIGHT_CONNECTIONS_PER_ADDRESS", 256, 16, 1_024),
      streamsPerNamespace: read.integer("RUNWRIGHT_STREAMS_PER_NAMESPACE", 512, 1, 1_024),
      peopleConnectionsPerAddress: read.integer("RUNWRIGHT_PEOPLE_CONNECTIONS_PER_ADDRESS", 1_024, 16, 4_096),
    },
    blobBudgets: {
      session: readBytes(read, "RUNWRIGHT_BLOB_BUDGET_SESSION"),
      namespace: readBytes(read, "RUNWRIGHT_BLOB_BUDGET_NAMESPACE"),
      total: readBytes(read, "RUNWRIGHT_BLOB_BUDGET_TOTAL"),
      capacity: readBytes(read, "RUNWRIGHT_BLOB_CAPACITY"),
    },
  };
}

const quantity = {
  pattern: /^([0-9]+(\.[0-9]+)?(k|M|G|T|P|Ki|Mi|Gi|Ti|Pi)?)?$/,
  what: "a number of bytes such as 4Gi, or empty",
};

/** Undefined where the variable is empty. */
function readBytes(read: Reader, variable: string): number | undefined {
  const text = read.matching(variable, quantity, "");
  return text === "" ? undefined : Math.floor(quantityValue(text));
}

/** Controller and gateway must agree on it. */
function readArchiveMode(read: Reader): ArchiveConfig["mode"] {
  return read.oneOf("RUNWRIGHT_ARCHIVE", "none", ["none", "embedded", "postgresql"]);
}

function readArchive(read: Reader): ArchiveConfig {
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

function readHeaderNames(read: Reader): string[] {
  const names = read.matching("RUNWRIGHT_TUNNEL_REQUEST_HEADERS", headerNames, "");
  return names === "" ? [] : names.split(",");
}

const path = { pattern: /^\//, what: "an absolute path" };
const bucketName = { pattern: /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, what: "the name of a bucket, 3 to 63 characters" };
const keyPrefix = { pattern: /^([A-Za-z0-9._-]+\/)*$/, what: "empty or names that each end with a slash" };

function readBlobStore(read: Reader, release: ReleaseConfig): BlobStoreConfig {
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
