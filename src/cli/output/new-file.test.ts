import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, expect, it } from "vitest";

import { CliError } from "../cli-error.ts";
import { writeNewFile } from "./new-file.ts";

const content = Buffer.from("new");
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "runwright-new-file-"));
});
afterEach(() => rm(folder, { recursive: true }));

const write = (name: string): Promise<unknown> => writeNewFile(join(folder, name), { what: "--to it", content });

it("writes a file that was not there", async () => {
  await write("a.png");
  expect(await readFile(join(folder, "a.png"), "utf8")).toBe("new");
});

it.each([
  { name: "file", make: (path: string) => writeFile(path, "old") },
  { name: "folder", make: (path: string) => mkdir(path) },
  { name: "link to nothing", make: (path: string) => symlink(join(folder, "elsewhere"), path) },
])("overwrites no $name, and follows none", async ({ make }) => {
  await make(join(folder, "a.png"));
  await expect(write("a.png")).rejects.toThrow(
    "--to it cannot be written: it exists already, and nothing is overwritten\nName a file that does not exist",
  );
  expect(await readdir(folder)).toEqual(["a.png"]);
});

it("leaves a file as it was that it does not overwrite", async () => {
  await writeFile(join(folder, "a.png"), "old");
  await expect(write("a.png")).rejects.toThrow(CliError);
  expect(await readFile(join(folder, "a.png"), "utf8")).toBe("old");
});

it("makes no folder", async () => {
  await expect(write("b/a.png")).rejects.toThrow("its folder does not exist");
  expect(await readdir(folder)).toEqual([]);
});

it("leaves nothing of a file that could not be written", async () => {
  const what = { what: "--to it", content: {} as Uint8Array };
  await expect(writeNewFile(join(folder, "a.png"), what)).rejects.toThrow("--to it cannot be written: ");
  expect(await readdir(folder)).toEqual([]);
});
