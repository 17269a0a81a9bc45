import { describe, expect, it } from "vitest";
import { readCommonConfig, readControllerConfig } from "./config.ts";
import { readGatewayConfig } from "./gateway-config.ts";

const release = {
  name: "runwright",
  namespace: "runwright-system",
  keysNamespace: "keys",
  sessionsNamespace: "sessions",
  tokensNamespace: "tokens",
};
const image = { RUNWRIGHT_SANDBOX_IMAGE: "example.com/sandbox:1" };

it("derives the private namespaces from namespace and release", () => {
  expect(readCommonConfig({ POD_NAME: "p", RUNWRIGHT_NAMESPACE: "ops", RUNWRIGHT_RELEASE: "blue" }).release).toEqual({
    name: "blue",
    namespace: "ops",
    keysNamespace: "ops-blue-keys",
    sessionsNamespace: "ops-blue-sessions",
    tokensNamespace: "ops-blue-tokens",
  });
});

it("gives the product's defaults", () => {
  expect(readControllerConfig(image, release)).toEqual({
    operator: { settings: {}, executionTimeoutMs: 7_200_000 },
    tunnels: { peopleUrl: "https://runwright-gateway.runwright-system.svc:8444", waitSeconds: 30 },
    deliveryBaseUrl: "http://localhost:8080",
    bootTimeoutMs: 1_800_000,
    sandboxImage: "example.com/sandbox:1",
    gatewayUrl: "wss://runwright-gateway.runwright-system.svc:8443",
    sandboxPort: 8443,
    egressExceptCIDRs: [],
    github: { apiURLs: ["https://api.github.com"] },
    skillSetBudgets: { namespace: 67_108_864, total: 268_435_456 },
    hasArchive: false,
    hasConnector: false,
    gatewayCertificate: "self-managed",
  });
});

it("refuses a keeper of the certificate that is none", () => {
  expect(() => readControllerConfig({ ...image, RUNWRIGHT_GATEWAY_CERTIFICATE: "vault" }, release)).toThrow(
    'RUNWRIGHT_GATEWAY_CERTIFICATE is "vault", but it must be one of self-managed, cert-manager; the default is self-managed',
  );
});

it.each(["abc", "0", "-1", "1.5", "240000", "604800001"])(
  "refuses SANDBOX_BOOT_TIMEOUT_MS=%s with name, value and default",
  (value) => {
    const message = `SANDBOX_BOOT_TIMEOUT_MS is "${value}", but it must be a whole number from 240001 to 604800000; the default is 1800000`;
    expect(() => readControllerConfig({ ...image, SANDBOX_BOOT_TIMEOUT_MS: value }, release)).toThrow(message);
  },
);

it("takes the first boot budget above the connect watchdog", () => {
  expect(readControllerConfig({ ...image, SANDBOX_BOOT_TIMEOUT_MS: "240001" }, release).bootTimeoutMs).toBe(240_001);
});

it.each([
  ["0", 0],
  ["604800", 604_800],
])("takes TUNNEL_WAIT_TIMEOUT_SECONDS=%s", (value, want) => {
  const config = readControllerConfig({ ...image, TUNNEL_WAIT_TIMEOUT_SECONDS: value }, release);
  expect(config.tunnels.waitSeconds).toBe(want);
});

it.each(["-1", "604801", "1.5", "x"])("refuses TUNNEL_WAIT_TIMEOUT_SECONDS=%s", (value) => {
  expect(() => readControllerConfig({ ...image, TUNNEL_WAIT_TIMEOUT_SECONDS: value }, release)).toThrow(
    `TUNNEL_WAIT_TIMEOUT_SECONDS is "${value}", but it must be a whole number from 0 to 604800; the default is 30`,
  );
});

it.each(["1", "604800000"])("takes EXECUTION_TIMEOUT_MS=%s", (value) => {
  const config = readControllerConfig({ ...image, EXECUTION_TIMEOUT_MS: value }, release);
  expect(config.operator.executionTimeoutMs).toBe(Number(value));
});

it.each(["", "0", "-5", "1e3", "2 h", "604800001"])("judges EXECUTION_TIMEOUT_MS=%j", (value) => {
  const read = () =>
    readControllerConfig({ ...image, EXECUTION_TIMEOUT_MS: value }, release).operator.executionTimeoutMs;
  if (value === "") expect(read()).toBe(7_200_000);
  else expect(read).toThrow(/^EXECUTION_TIMEOUT_MS is .* the default is 7200000$/);
});

it("says that a variable without default is missing", () => {
  expect(() => readCommonConfig({})).toThrow("POD_NAME is not set, but it must be set; it has no default");
});

it.each(["65536", "http"])("refuses port %s", (value) => {
  expect(() => readGatewayConfig({ RUNWRIGHT_SANDBOX_PORT: value }, release)).toThrow("RUNWRIGHT_SANDBOX_PORT");
});

it("drops the trailing slash of a base URL and refuses other schemes", () => {
  expect(readGatewayConfig({ RUNWRIGHT_BASE_URL: "https://hooks.example.com/" }, release).deliveryBaseUrl).toBe(
    "https://hooks.example.com",
  );
  expect(() => readGatewayConfig({ RUNWRIGHT_BASE_URL: "ftp://x" }, release)).toThrow("RUNWRIGHT_BASE_URL");
});

it("keeps blobs in a directory by default", () => {
  expect(readGatewayConfig({}, release).blobStore).toEqual({
    type: "directory",
    directory: "/var/lib/runwright/blobs",
  });
  expect(readGatewayConfig({ RUNWRIGHT_BLOB_DIRECTORY: "/data" }, release).blobStore).toMatchObject({
    directory: "/data",
  });
});

it("keeps blobs in a bucket, below a prefix of the release's own", () => {
  const environment = { RUNWRIGHT_BLOB_STORE: "s3", RUNWRIGHT_S3_BUCKET: "sessions" };
  expect(readGatewayConfig(environment, release).blobStore).toEqual({
    type: "s3",
    bucket: "sessions",
    prefix: "runwright-system/runwright/",
    region: "us-east-1",
    endpoint: undefined,
    forcePathStyle: false,
  });
});

it.each([
  { variable: "RUNWRIGHT_BLOB_STORE", value: "nfs", says: "directory, s3; the default is directory" },
  { variable: "RUNWRIGHT_S3_BUCKET", value: "", says: "it must be set; it has no default" },
  { variable: "RUNWRIGHT_S3_BUCKET", value: "ab", says: "3 to 63 characters" },
  { variable: "RUNWRIGHT_S3_BUCKET", value: "a".repeat(64), says: "3 to 63 characters" },
  { variable: "RUNWRIGHT_S3_BUCKET", value: "My_Bucket", says: "the name of a bucket" },
  { variable: "RUNWRIGHT_S3_PREFIX", value: "team", says: "each end with a slash" },
  { variable: "RUNWRIGHT_S3_PREFIX", value: "/team/", says: "each end with a slash" },
  { variable: "RUNWRIGHT_S3_ENDPOINT", value: "minio:9000", says: "http:// or https://" },
  { variable: "RUNWRIGHT_S3_PATH_STYLE", value: "yes", says: "true, false; the default is false" },
])("refuses $variable=$value", ({ variable, value, says }) => {
  const environment = { RUNWRIGHT_BLOB_STORE: "s3", RUNWRIGHT_S3_BUCKET: "sessions", [variable]: value };
  const read = () => readGatewayConfig(environment, release);
  expect(read).toThrow(variable);
  expect(read).toThrow(says);
});

it("refuses a directory that is not an absolute path", () => {
  expect(() => readGatewayConfig({ RUNWRIGHT_BLOB_DIRECTORY: "blobs" }, release)).toThrow(
    'RUNWRIGHT_BLOB_DIRECTORY is "blobs", but it must be an absolute path; the default is /var/lib/runwright/blobs',
  );
});

describe("the archive", () => {
  const onServer = { RUNWRIGHT_ARCHIVE: "postgresql", RUNWRIGHT_ARCHIVE_HOST: "db.example.com" };

  it.each([
    { environment: {}, want: { mode: "none" }, hasArchive: false },
    {
      environment: { RUNWRIGHT_ARCHIVE: "embedded" },
      want: { mode: "embedded", file: "/var/lib/runwright/archive/archive.db" },
      hasArchive: true,
    },
    {
      environment: onServer,
      want: {
        mode: "postgresql",
        host: "db.example.com",
        port: 5_432,
        database: "runwright",
        credentials: "/var/run/runwright/archive",
      },
      hasArchive: true,
    },
  ])("is $want.mode, for the controller too", ({ environment, want, hasArchive }) => {
    expect(readGatewayConfig(environment, release)).toMatchObject({ archive: want, archiveRetentionDays: 400 });
    expect(readControllerConfig({ ...image, ...environment }, release).hasArchive).toBe(hasArchive);
  });

  it.each([
    { variable: "RUNWRIGHT_ARCHIVE", value: "sqlite", says: "none, embedded, postgresql; the default is none" },
    { variable: "RUNWRIGHT_ARCHIVE_HOST", value: "", says: "it must be set" },
    { variable: "RUNWRIGHT_ARCHIVE_PORT", value: "0", says: "from 1 to 65535" },
    { variable: "RUNWRIGHT_ARCHIVE_PORT", value: "65536", says: "from 1 to 65535" },
    { variable: "RUNWRIGHT_ARCHIVE_CREDENTIALS", value: "login", says: "an absolute path" },
    { variable: "RUNWRIGHT_ARCHIVE_BUDGET_NAMESPACE", value: "lots", says: "a number of bytes such as 4Gi, or empty" },
    { variable: "RUNWRIGHT_ARCHIVE_BUDGET_TOTAL", value: "-1", says: "a number of bytes such as 4Gi, or empty" },
    { variable: "RUNWRIGHT_ARCHIVE_RETENTION_DAYS", value: "89", says: "from 90 to 36500; the default is 400" },
  ])("refuses $variable=$value", ({ variable, value, says }) => {
    const read = () => readGatewayConfig({ ...onServer, [variable]: value }, release);
    expect(read).toThrow(variable);
    expect(read).toThrow(says);
  });

  it.each([
    { given: {}, want: {} },
    {
      given: { RUNWRIGHT_ARCHIVE_BUDGET_NAMESPACE: "0", RUNWRIGHT_ARCHIVE_BUDGET_TOTAL: "1.5Gi" },
      want: { namespace: 0, total: 1.5 * 1_024 ** 3 },
    },
  ])("has the budgets $want", ({ given, want }) => {
    expect(readGatewayConfig(given, release).archiveBudgets).toEqual(want);
  });

  it("is kept for 90 days at least", () => {
    const environment = { RUNWRIGHT_ARCHIVE_RETENTION_DAYS: "90" };
    expect(readGatewayConfig(environment, release).archiveRetentionDays).toBe(90);
  });
});

describe("RUNWRIGHT_WATCH_NAMESPACES", () => {
  const read = (value: string): readonly string[] =>
    readCommonConfig({ POD_NAME: "p", RUNWRIGHT_WATCH_NAMESPACES: value }).watchNamespaces;

  it.each([
    ["", []],
    ["shop", ["shop"]],
    [`shop,team-2,${"n".repeat(63)}`, ["shop", "team-2", "n".repeat(63)]],
  ])("may be %j", (value, want) => {
    expect(read(value)).toEqual(want);
  });

  it.each(["Shop", "shop,", "shop, team", "a.b", "-shop", "n".repeat(64), "shop;team"])("is refused as %j", (value) => {
    expect(() => read(value)).toThrow(
      `RUNWRIGHT_WATCH_NAMESPACES is "${value}", but it must be names of namespaces with commas between them`,
    );
  });

  it("is refused when it names one twice", () => {
    expect(() => read("shop,team,shop")).toThrow("it must name shop once; the default is all of the cluster");
  });
});

it.each([
  [undefined, []],
  ["", []],
  ["x-api-key", ["x-api-key"]],
  ["x-api-key,x-2", ["x-api-key", "x-2"]],
])("reads the request headers of tunnels from %j", (RUNWRIGHT_TUNNEL_REQUEST_HEADERS, want) => {
  expect(readGatewayConfig({ RUNWRIGHT_TUNNEL_REQUEST_HEADERS }, release).tunnelRequestHeaders).toEqual(want);
});

it.each([
  [undefined, false],
  ["false", false],
  ["true", true],
])("lets agents attach files by %j: %s", (RUNWRIGHT_GENERATED_MEDIA, want) => {
  expect(readGatewayConfig({ RUNWRIGHT_GENERATED_MEDIA }, release).generatedMedia).toBe(want);
});

it("refuses anything else as whether agents attach files", () => {
  expect(() => readGatewayConfig({ RUNWRIGHT_GENERATED_MEDIA: "yes" }, release)).toThrow("RUNWRIGHT_GENERATED_MEDIA");
});

it.each(["X-Api-Key", "x-api-key, x-2", "x-api-key,", "a b"])("refuses %j as request headers of tunnels", (value) => {
  expect(() => readGatewayConfig({ RUNWRIGHT_TUNNEL_REQUEST_HEADERS: value }, release)).toThrow(
    "RUNWRIGHT_TUNNEL_REQUEST_HEADERS",
  );
});

it.each([
  [undefined, ["https://api.github.com"]],
  [
    "https://api.github.com, https://github.example.com/api/v3/",
    ["https://api.github.com", "https://github.example.com/api/v3"],
  ],
])("reads the APIs of GitHub from %s", (RUNWRIGHT_GITHUB_API_URLS, apiURLs) => {
  expect(readGatewayConfig({ RUNWRIGHT_GITHUB_API_URLS }, release).github).toEqual({ apiURLs });
  expect(readControllerConfig({ ...image, RUNWRIGHT_GITHUB_API_URLS }, release).github).toEqual({ apiURLs });
});

it.each(["http://api.github.com", "https://api.github.com,", "nowhere"])("refuses %s as GitHub's API", (url) => {
  expect(() => readGatewayConfig({ RUNWRIGHT_GITHUB_API_URLS: url }, release)).toThrow("RUNWRIGHT_GITHUB_API_URLS");
});

it.each([
  ["", []],
  ["198.41.0.0/16", ["198.41.0.0/16"]],
  ["128.0.0.0/1,3000::/4", ["128.0.0.0/1", "3000::/4"]],
])("reads the ranges that are not the internet from %j", (RUNWRIGHT_EGRESS_EXCEPT_CIDRS, want) => {
  expect(readControllerConfig({ ...image, RUNWRIGHT_EGRESS_EXCEPT_CIDRS }, release).egressExceptCIDRs).toEqual(want);
});

it.each([
  "0.0.0.0/0",
  "2000::/3",
  "::/0",
  "198.41.0.1",
  "198.41.0.0/33",
  "198.41.0.0/16,",
  "198.41.0.0/16, 11.0.0.0/8",
])("refuses %j as ranges that are not the internet", (value) => {
  expect(() => readControllerConfig({ ...image, RUNWRIGHT_EGRESS_EXCEPT_CIDRS: value }, release)).toThrow(
    /^RUNWRIGHT_EGRESS_EXCEPT_CIDRS is .*, but .* must be a range such as .*narrower than the whole internet/,
  );
});

it.each([
  ["RUNWRIGHT_CONNECTIONS_PER_ADDRESS", "connectionsPerAddress", 256, 16, 1_024],
  ["RUNWRIGHT_STREAMS_PER_NAMESPACE", "streamsPerNamespace", 512, 1, 1_024],
  ["RUNWRIGHT_PEOPLE_CONNECTIONS_PER_ADDRESS", "peopleConnectionsPerAddress", 1_024, 16, 4_096],
] as const)("reads %s within its limits", (variable, limit, usual, least, most) => {
  const read = (value?: number) => readGatewayConfig({ [variable]: value?.toString() }, release).limits[limit];
  expect([read(), read(least), read(most)]).toEqual([usual, least, most]);
  for (const value of [least - 1, most + 1]) expect(() => read(value)).toThrow(variable);
});
