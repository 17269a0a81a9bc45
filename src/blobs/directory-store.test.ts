import { mkdir, mkdtemp, readdir, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { itKeepsBlobs } from "../../test/support/blob-store-contract.ts";
import { DirectoryStore } from "./directory-store.ts";

let root: string;
let count = 0;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "runwright-blobs-"));
});
afterAll(() => rm(root, { recursive: true, force: true }));

describe("DirectoryStore", () => {
  itKeepsBlobs(() => DirectoryStore.open(freshDirectory()));

  it("leaves nothing behind of what was not stored", async () => {
    const directory = freshDirectory();
    const store = await DirectoryStore.open(directory);
    await expect(store.put("one/a", Buffer.from("123"), { maxBytes: 2 })).rejects.toThrow();
    expect(await readdir(join(directory, ".unfinished"))).toEqual([]);
  });

  it("removes what a crash left an hour ago, and nothing younger", async () => {
    const directory = freshDirectory();
    const unfinished = join(directory, ".unfinished");
    await mkdir(unfinished, { recursive: true });
    for (const name of ["old", "young"]) await writeFile(join(unfinished, name), "half");
    const longAgo = new Date(Date.now() - 3_660_000);
    await utimes(join(unfinished, "old"), longAgo, longAgo);
    await DirectoryStore.open(directory);
    expect(await readdir(unfinished)).toEqual(["young"]);
  });

  it("cannot be opened where nothing can be written", async () => {
    const directory = freshDirectory();
    await symlink("/dev/null", directory);
    await expect(DirectoryStore.open(directory)).rejects.toThrow(directory);
  });
});

function freshDirectory(): string {
  count += 1;
  return join(root, String(count));
}
