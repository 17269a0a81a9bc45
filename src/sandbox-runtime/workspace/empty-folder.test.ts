import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { emptyFolder, readMountPoints } from "./empty-folder.ts";

it("removes all but what is mounted", async () => {
  const folder = await mkdtemp(join(tmpdir(), "runwright-empty-"));
  for (const path of ["a/b/mounted/deep", "a/b/mounted-too", "c"]) {
    await mkdir(join(folder, path), { recursive: true });
    await writeFile(join(folder, path, "file"), "x");
  }
  await emptyFolder(folder, [join(folder, "a/b/mounted"), "/elsewhere"]);
  const left = await readdir(folder, { recursive: true });
  expect(left.sort()).toEqual(["a", "a/b", "a/b/mounted", "a/b/mounted/deep", "a/b/mounted/deep/file"]);
  await rm(folder, { recursive: true });
});

it("reads mount points, with the names as they are", () => {
  const mountinfo = [
    "22 1 0:21 / /proc rw,nosuid - proc proc rw",
    String.raw`36 35 98:0 /mnt1 /home/agent/my\040cache rw,noatime master:1 - ext3 /dev/root rw`,
    "",
  ].join("\n");
  expect(readMountPoints(mountinfo)).toEqual(["/proc", "/home/agent/my cache"]);
});
