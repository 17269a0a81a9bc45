import { glob, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type S3Server, startS3Server } from "../../support/s3-server.ts";
import { ImageWorld } from "./world.ts";

// Go builds the S3 server the first time.
vi.setConfig({ hookTimeout: 600_000 });

const noncing = {
  ".runwright/setup.sh": [
    "nonce=$(head -c 16 /dev/urandom | od -An -tx1 | tr -d ' \\n')",
    'echo "$nonce" > ../nonce.txt',
    "mkdir -p ~/.cache && cp ../nonce.txt ~/.cache/nonce.txt",
    'echo "mode $RUNWRIGHT_BOOT_MODE ${IMAGE_BUILD_MODE:-no} ${SANDBOX_ID:-no-id}" > ../setup.txt',
  ].join("\n"),
  ".runwright/start.sh": 'echo "start $RUNWRIGHT_BOOT_MODE ${FROM_REPO_IMAGE:-no} $REPO_IMAGE_SHA" > ../start.txt',
  ".runwright/show.sh": "cat ../nonce.txt ~/.cache/nonce.txt ../setup.txt ../start.txt new.txt",
};

interface Store {
  name: string;
  /** What controller and gateway are told of it, and where its blobs lie on this machine. */
  open: () => Promise<{ environment?: Record<string, string>; folder?: string; close?: () => Promise<void> }>;
}

async function openS3() {
  const server: S3Server = await startS3Server();
  const environment = {
    RUNWRIGHT_BLOB_STORE: "s3",
    RUNWRIGHT_S3_BUCKET: server.bucket,
    RUNWRIGHT_S3_PREFIX: "shared/",
    RUNWRIGHT_S3_ENDPOINT: server.url,
    RUNWRIGHT_S3_PATH_STYLE: "true",
    AWS_ACCESS_KEY_ID: server.credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: server.credentials.secretAccessKey,
  };
  return { environment, folder: join(server.folder, server.bucket, "shared"), close: () => server.close() };
}

const stores: Store[] = [
  { name: "a directory", open: () => Promise.resolve({}) },
  { name: "an S3 bucket", open: openS3 },
];

async function firstOf(paths: AsyncIterable<string>): Promise<string> {
  for await (const path of paths) return path;
  throw new Error("there is no such file");
}

describe.each(stores)("with $name as the blob store", ({ open }) => {
  let world: ImageWorld;
  let store: Awaited<ReturnType<Store["open"]>>;
  beforeAll(async () => {
    store = await open();
    world = await ImageWorld.make(store.environment);
  });
  afterAll(async () => {
    await world.close();
    await store.close?.();
  });

  it("has two sessions begin with what setup.sh made once, and with the commit that was pushed since", async () => {
    await world.createRepository("shop", noncing);
    await world.createImage("shop", { repositoryRef: { name: "shop" } });
    const built = await world.untilImage("shop", "is there", ({ status }) => status?.image !== undefined);
    const { image } = built.status!;
    const pushed = await world.push("shop", "new.txt", "pushed after the build\n");
    expect(image!.commits).toEqual([{ repository: "shop", commit: expect.not.stringContaining(pushed) as string }]);

    const target = { repositoryRefs: [{ name: "shop" }] };
    const [first, second] = [await world.runSession("one", target), await world.runSession("two", target)];
    expect(first.session.status?.prebuiltImage).toMatchObject({
      name: "shop",
      reason: "Used",
      build: 1,
      digest: image!.digest,
    });
    expect(second.text).toBe(first.text);
    const [nonce, cached, setup, start, added] = first.text.split("\n");
    expect(nonce).toMatch(/^[0-9a-f]{32}$/);
    expect(cached).toBe(nonce);
    expect(setup).toBe("mode build true no-id");
    expect(start).toBe(`start repo_image true ${image!.commits[0]!.commit}`);
    expect(added).toBe("pushed after the build");
  });

  it("has a session begin afresh where one byte of the archive was flipped", async () => {
    await world.createRepository("flipped", noncing);
    await world.createImage("flipped", { repositoryRef: { name: "flipped" } });
    const { metadata } = await world.untilImage("flipped", "is there", ({ status }) => status?.image !== undefined);
    const folder = store.folder ?? join(world.directory, "blobs");
    const file = await firstOf(glob(`${folder}/${metadata.uid ?? ""}/snapshots/**/*workspace.tar*`));
    const bytes = await readFile(file);
    const at = bytes.length >> 1;
    bytes[at] = bytes[at]! ^ 1;
    await writeFile(file, bytes);
    const { session } = await world.runSession("hardy", { repositoryRefs: [{ name: "flipped" }] });
    expect(session.status?.prebuiltImage).toMatchObject({ reason: "Used", problem: "Damaged" });
    expect(session.status?.sandbox?.attempt).toBe(1);
    const { status } = await world.untilImage(
      "flipped",
      "is built again",
      (one) => (one.status?.image?.build ?? 0) > 1,
    );
    expect(status?.builds).toContainEqual(
      expect.objectContaining({ number: 1, result: "Failed", reason: "ImageDamaged" }),
    );
  });
});

describe("with an S3 server that goes away", () => {
  let world: ImageWorld;
  let store: Awaited<ReturnType<typeof openS3>>;
  let closing: Promise<void> | undefined;
  const goAway = (): Promise<void> => (closing ??= store.close());
  beforeAll(async () => {
    store = await openS3();
    world = await ImageWorld.make(store.environment);
  });
  afterAll(async () => {
    await world.close();
    await goAway();
  });

  it("has a session begin afresh, and the image is not failed for that (4.9 row 14)", async () => {
    await world.createRepository("far", noncing);
    await world.createImage("far", { repositoryRef: { name: "far" } });
    await world.untilImage("far", "is there", ({ status }) => status?.image !== undefined);
    await goAway();
    const { session, text } = await world.runSession("alone", { repositoryRefs: [{ name: "far" }] });
    expect(session.status?.prebuiltImage).toMatchObject({ reason: "Used", build: 1, problem: "Unreachable" });
    expect(session.status?.sandbox?.attempt).toBe(1);
    expect(text).toContain("mode fresh no");
    expect((await world.image("far")).status).toMatchObject({ image: { build: 1 }, builds: [{ result: "Ready" }] });
  });
});
