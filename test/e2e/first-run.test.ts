import { mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

import { afterAll, beforeAll, expect, inject, it } from "vitest";

import { run } from "../../hack/lib/command.ts";
import { progressOnStderr } from "../../hack/lib/progress.ts";
import { ensureHelm } from "../../hack/toolchain/helm.ts";
import { testCluster } from "../support/cluster.ts";

// The release was installed without any value; what its NOTES print is typed here as it stands there, by a person who has
// kubectl and nothing else.

let folder: string;
/** The commands in their order: five to the first Run, and one that removes what they made. */
let commands: string[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "first-run-"));
  const { kubectl, kubeconfig } = testCluster();
  await symlink(kubectl, join(folder, "kubectl"));
  const { name, namespace } = inject("release");
  const helm = await ensureHelm(progressOnStderr("first run"));
  const notes = await run(helm, ["get", "notes", name, "--namespace", namespace, "--kubeconfig", kubeconfig]);
  const [untilOwn = ""] = notes.split("Then for your own Automation");
  commands = [...untilOwn.matchAll(/^ {3}(?<command>kubectl .*)$/gm)].map(({ groups }) => groups?.command ?? "");
});

afterAll(() => rm(folder, { recursive: true, force: true }));

function type(command: string | undefined): Promise<string> {
  const environment = { KUBECONFIG: testCluster().kubeconfig, PATH: [folder, process.env.PATH].join(delimiter) };
  return run("bash", ["-euo", "pipefail", "-c", command ?? "false"], { env: environment });
}

it("five commands of the notes lead to a Run and what its agent said, and a sixth removes them", async () => {
  expect(commands).toHaveLength(6);
  const printed: string[] = [];
  for (const command of commands) printed.push(await type(command));
  expect(printed[1]).toContain("automation.runwright.dev/hello created");
  expect(printed[2]).toContain("run.runwright.dev/hello created");
  expect(printed[4]?.split("\n").map((line) => line.trim().split(/ {2,}/))).toContainEqual([
    "hello",
    "Hello from a sandbox",
  ]);
  expect(printed[5]).toContain('namespace "first-run" deleted');
});
