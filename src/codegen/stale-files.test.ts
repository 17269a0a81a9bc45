import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { freshenFile, staleFiles } from "./stale-files.ts";

const files = new Map([
  ["made/a.yaml", "a\n"],
  ["shared/b.yaml", "b\n"],
]);
const folders = ["made"];

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "codegen-"));
});
afterEach(() => rm(root, { recursive: true }));

async function freshen(): Promise<void> {
  for (const path of await staleFiles(root, files, folders)) await freshenFile(root, path, files);
}

it("writes what is missing, and then finds nothing stale", async () => {
  expect(await staleFiles(root, files, folders)).toEqual(["made/a.yaml", "shared/b.yaml"]);
  await freshen();
  expect(await readFile(join(root, "made/a.yaml"), "utf8")).toBe("a\n");
  expect(await staleFiles(root, files, folders)).toEqual([]);
});

it("finds a file that was edited by hand", async () => {
  await freshen();
  await writeFile(join(root, "made/a.yaml"), "a \n");
  expect(await staleFiles(root, files, folders)).toEqual(["made/a.yaml"]);
});

it("removes what nothing generates any more, in the folders of generated files alone", async () => {
  await freshen();
  await writeFile(join(root, "made/old.yaml"), "");
  await writeFile(join(root, "shared/by-hand.yaml"), "");
  expect(await staleFiles(root, files, folders)).toEqual(["made/old.yaml"]);
  await freshen();
  expect(await staleFiles(root, files, folders)).toEqual([]);
});
