import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { build } from "esbuild";
import { afterAll, beforeAll, expect, it } from "vitest";

import { nameWhatWasRenamed } from "./function-names.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "runwright-names-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it("keeps the names of classes, functions and closures, those that esbuild renames too", async () => {
  const one = "export class Taken {}\nexport function made() { const inner = () => 1; return inner; }\n";
  await writeFile(join(folder, "one.mjs"), one);
  await writeFile(join(folder, "two.mjs"), one);
  const main = 'import * as one from "./one.mjs";\nimport * as two from "./two.mjs";\nexport const all = [one, two];\n';
  await writeFile(join(folder, "main.mjs"), main);
  const options = { bundle: true, keepNames: true, format: "esm", write: false } as const;
  const { outputFiles } = await build({ ...options, entryPoints: [join(folder, "main.mjs")] });
  const text = outputFiles[0]?.text ?? "";
  expect(text).toContain("Taken2");
  const file = join(folder, "bundle.mjs");
  await writeFile(file, nameWhatWasRenamed(text));
  const { all } = (await import(file)) as { all: { Taken: { name: string }; made: () => { name: string } }[] };
  expect(all.map(({ Taken, made }) => [Taken.name, made.name, made().name])).toEqual([
    ["Taken", "made", "inner"],
    ["Taken", "made", "inner"],
  ]);
});

it("gives no name to a function that has it", () => {
  const renames = '__defProp(target, "name", { value: value2, configurable: true });';
  const before = `var a;\nvar __name = (target, value2) => ${renames}\nvar b;\n`;
  const after = `var a;\nvar __name = (target, value2) => target.name === value2 ? target : ${renames}\nvar b;\n`;
  expect(nameWhatWasRenamed(before)).toBe(after);
});

it("says what to do where esbuild has another helper", () => {
  expect(() => nameWhatWasRenamed("var __named = 1;")).toThrow(/function-names\.ts/);
});
