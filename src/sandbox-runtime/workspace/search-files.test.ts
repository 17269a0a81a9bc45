import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { filesWith } from "./search-files.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "runwright-search-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const value = "a-value-of-some-length";
async function found(): Promise<string[]> {
  const names = [];
  for await (const name of filesWith([value, "another\nof two lines"], { folder, shownAs: "~/" })) names.push(name);
  return names.sort();
}

it("finds values anywhere in files, also where they straddle two pieces that are read", async () => {
  await mkdir(join(folder, "deep", ".git"), { recursive: true });
  await writeFile(join(folder, "deep", ".git", "config"), `url = https://x:${value}@host`);
  await writeFile(join(folder, "binary"), Buffer.concat([Buffer.alloc(1_048_576 - 5), Buffer.from(value)]));
  await writeFile(join(folder, "lines"), "another\nof two lines\n");
  await writeFile(join(folder, "part"), value.slice(0, -1));
  await writeFile(join(folder, "empty"), "");
  expect(await found()).toEqual(["~/binary", "~/deep/.git/config", "~/lines"]);
});

it("follows no links", async () => {
  await mkdir(join(folder, "real"));
  await writeFile(join(folder, "real", "file"), value);
  await symlink(join(folder, "real"), join(folder, "folder"));
  await symlink(join(folder, "real", "file"), join(folder, "alias"));
  expect(await found()).toEqual(["~/real/file"]);
});
