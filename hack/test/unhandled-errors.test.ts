import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, it, onTestFinished, vi } from "vitest";

import UnhandledErrors, { errorsVariable } from "./unhandled-errors.ts";

it("writes each error as one text that has its message once", async () => {
  const folder = await mkdtemp(join(tmpdir(), "errors-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, "errors.json");
  vi.stubEnv(errorsVariable, path);
  onTestFinished(() => void vi.unstubAllEnvs());
  const stack = "Error: a\n    at file:///project/src/a.ts:1";
  new UnhandledErrors().onTestRunEnd(
    [],
    [{ message: "a", stack }, { message: "broken", stack: "at src/b.ts" }, { message: "c" }],
  );
  const texts = JSON.parse(await readFile(path, "utf8")) as string[];
  expect(texts).toEqual([stack, "broken\nat src/b.ts", "c"]);
});
