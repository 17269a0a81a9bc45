import { buffer } from "node:stream/consumers";

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { openBlobStore } from "../../src/blobs/open-blob-store.ts";
import { S3Store } from "../../src/blobs/s3-store.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { systemRandom } from "../../src/lib/random.ts";
import { itKeepsBlobs } from "../support/blob-store-contract.ts";
import { ownS3Server, useCredentialsOf } from "../support/s3-server.ts";

const server = ownS3Server();
let count = 0;

describe("S3Store", () => {
  itKeepsBlobs(() => Promise.resolve(storeAt(freshPrefix())));

  it("lists and deletes more than one page of objects", async () => {
    const store = storeAt(freshPrefix());
    const names = Array.from({ length: 1_001 }, (_, index) => `one/${String(index).padStart(4, "0")}`);
    while (names.length > 0) {
      await Promise.all(names.splice(0, 50).map((key) => store.put(key, Buffer.from(key))));
    }
    const found: string[] = [];
    for await (const { key } of store.list("one/")) found.push(key);
    expect(found).toHaveLength(1_001);
    expect(found.at(-1)).toBe("one/1000");
    await store.deleteAll("one/");
    for await (const owner of store.owners()) expect(owner).toBe("nobody");
  });

  it("says what the server said when the bucket is not there", async () => {
    const store = storeAt("", "missing");
    await expect(store.put("one/a", Buffer.from("x"))).rejects.toThrow("bucket");
    await expect(store.get("one/a")).rejects.toThrow("bucket");
  });
});

describe("opening", () => {
  const config = () => ({
    type: "s3" as const,
    bucket: server.bucket,
    prefix: "opened/",
    region: "us-east-1",
    endpoint: server.url,
    forcePathStyle: true,
  });
  const warnings: object[] = [];
  const log = { warn: (facts: object) => void warnings.push(facts) };
  const deps = { log, clock: systemClock, random: systemRandom };
  const { accessKeyId, secretAccessKey } = {
    accessKeyId: "AWS_ACCESS_KEY_ID",
    secretAccessKey: "AWS_SECRET_ACCESS_KEY",
  };
  beforeEach(() => {
    warnings.length = 0;
  });
  afterEach(() => useCredentialsOf(server));

  it("works with right settings, and what one store keeps another one finds", async () => {
    const [one, other] = [await openBlobStore(config(), deps), await openBlobStore(config(), deps)];
    await one.put("a/images/b", Buffer.from("bytes"));
    expect(await buffer((await other.get("a/images/b"))!.content)).toEqual(Buffer.from("bytes"));
    expect(warnings).toEqual([]);
  });

  it.each([
    {
      name: "a bucket that is not there",
      more: { bucket: "missing" },
      variable: undefined,
      says: "RUNWRIGHT_S3_BUCKET",
    },
    { name: "an unknown key", more: {}, variable: accessKeyId, says: accessKeyId },
    { name: "a wrong secret", more: {}, variable: secretAccessKey, says: secretAccessKey },
  ])("says which setting is wrong: $name", async ({ more, variable, says }) => {
    if (variable) vi.stubEnv(variable, "wrong");
    await expect(openBlobStore({ ...config(), ...more }, deps)).rejects.toThrow(says);
  });

  it("goes on without a server that cannot be reached", async () => {
    await openBlobStore({ ...config(), endpoint: "http://127.0.0.1:1" }, deps);
    expect(warnings).toHaveLength(1);
  });
});

function storeAt(prefix: string, bucket = server.bucket): S3Store {
  return new S3Store({ bucket, prefix, region: "us-east-1", endpoint: server.url, forcePathStyle: true }, systemClock);
}

function freshPrefix(): string {
  count += 1;
  return `prefix-${String(count)}/`;
}
