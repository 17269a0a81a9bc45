import { mkdir, mkdtemp, readdir, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { itKeepsBlobs } from "../../test/support/blob-store-contract.ts";
import { openDirectoryStore } from "../../test/support/directory-store.ts";
import { FakeClock } from "../lib/fake-clock.ts";
import { systemRandom } from "../lib/random.ts";
import { DirectoryStore } from "./directory-store.ts";

let root: string;
let count = 0;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "runwright-blobs-"));
});
afterAll(() => rm(root, { recursive: true, force: true }));

describe("DirectoryStore", () => {
  itKeepsBlobs(() => openDirectoryStore(freshDirectory()));

  it("leaves nothing behind of what was not stored", async () => {
    const directory = freshDirectory();
    const store = await openDirectoryStore(directory);
    await expect(store.put("one/a", Buffer.from("123"), { maxBytes: 2 })).rejects.toThrow();
    expect(await readdir(join(directory, ".unfinished"))).toEqual([]);
  });

  it("removes what a crash left an hour ago, and nothing younger", async () => {
    const directory = freshDirectory();
    const unfinished = join(directory, ".unfinished");
    await mkdir(unfinished, { recursive: true });
    const clock = new FakeClock();
    for (const [name, age] of Object.entries({ old: 3_660_000, young: 3_540_000 })) {
      const writtenAt = new Date(clock.now().getTime() - age);
      await writeFile(join(unfinished, name), "half");
      await utimes(join(unfinished, name), writtenAt, writtenAt);
    }
    await DirectoryStore.open(directory, { clock, random: systemRandom });
    expect(await readdir(unfinished)).toEqual(["young"]);
  });

  it("passes over what is no blob of ours, as on a volume", async () => {
    const directory = freshDirectory();
    const store = await openDirectoryStore(directory);
    await store.put("one/a", Buffer.from("1"));
    await mkdir(join(directory, "lost+found"));
    await writeFile(join(directory, "notes"), "a person's");
    const owners: string[] = [];
    for await (const owner of store.owners()) owners.push(owner);
    expect(owners).toEqual(["one"]);
  });

  it("cannot be opened where nothing can be written", async () => {
    const directory = freshDirectory();
    await symlink("/dev/null", directory);
    await expect(openDirectoryStore(directory)).rejects.toThrow(directory);
  });
});

function freshDirectory(): string {
  count += 1;
  return join(root, String(count));
}
