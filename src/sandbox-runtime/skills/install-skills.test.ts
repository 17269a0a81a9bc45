import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, expect, it } from "vitest";

import type { WorkContext } from "../work-context.ts";
import { installSkills } from "./install-skills.ts";

const root = mkdtempSync(join(tmpdir(), "runwright-skills-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** The problem where the command says this on standard error and exits so. */
function installed(said: string, code: number): Promise<string | undefined> {
  const skillsDirectory = mkdtempSync(join(root, "skills-"));
  mkdirSync(join(skillsDirectory, ".current"));
  const context = {
    agent: {
      introduction: { workspace: root, program: ["/x"] },
      run: (_command: unknown, output: (stream: string, text: string) => void) => {
        output("stderr", said);
        return { ended: Promise.resolve({ code, signal: null }) };
      },
    },
    bundle: { skills: {}, repositories: [] },
    skills: { read: () => Promise.resolve([]) },
    skillsDirectory,
    secrets: ["planted-secret"],
    publish: () => undefined,
  };
  return installSkills(context as unknown as WorkContext);
}

const failed = "the skills could not be linked into the agent's home: the command exited with status 1";

it.each([
  { said: "", want: failed },
  { said: "a warning\nENOSPC: no space left of planted-secret\n", want: `${failed}: ENOSPC: no space left of ***` },
])("says why skills could not be linked: $said", async ({ said, want }) => {
  expect(await installed(said, 1)).toBe(want);
});

it("says nothing of a warning", async () => {
  expect(await installed("a warning\n", 0)).toBeUndefined();
});
