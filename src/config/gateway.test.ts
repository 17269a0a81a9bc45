import { describe, expect, it } from "vitest";

import { image, release } from "../../test/support/release-config.ts";
import { readControllerConfig } from "./controller.ts";
import { readGatewayConfig } from "./gateway.ts";

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
  ["RUNWRIGHT_CONNECTIONS_PER_ADDRESS", "connectionsPerAddress", 256, 16, 1_024],
  ["RUNWRIGHT_STREAMS_PER_NAMESPACE", "streamsPerNamespace", 512, 1, 1_024],
  ["RUNWRIGHT_PEOPLE_CONNECTIONS_PER_ADDRESS", "peopleConnectionsPerAddress", 1_024, 16, 4_096],
] as const)("reads %s within its limits", (variable, limit, usual, least, most) => {
  const read = (value?: number) => readGatewayConfig({ [variable]: value?.toString() }, release).limits[limit];
  expect([read(), read(least), read(most)]).toEqual([usual, least, most]);
  for (const value of [least - 1, most + 1]) expect(() => read(value)).toThrow(variable);
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
