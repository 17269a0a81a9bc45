import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { run } from "../../../hack/lib/command.ts";
import { shellScripts } from "../../../src/cli/completion/shell-scripts.ts";
import { runPlugin } from "../../support/cli.ts";
import { testCluster } from "../../support/cluster.ts";
import { CliWorld } from "./world.ts";

const main = join(import.meta.dirname, "..", "..", "..", "src", "cli", "main.ts");

let cli: CliWorld;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "runwright-completion-"));
  await program("kubectl-runwright", `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`);
  await program("kubectl_complete-runwright", shellScripts.kubectl);
});
afterAll(() => rm(folder, { recursive: true }));
beforeEach(async () => {
  cli = await CliWorld.make();
  await cli.world.createAutomation("triage");
  await cli.world.createAutomation("nightly");
});
afterEach(() => cli.close());

async function program(name: string, text: string): Promise<void> {
  await writeFile(join(folder, name), text);
  await chmod(join(folder, name), 0o755);
}

/** What the plugin offers for the last word. */
async function offered(...words: string[]): Promise<string[]> {
  const { out } = await runPlugin(["__complete", "--kubeconfig", testCluster().kubeconfig, ...words]);
  return out.trim().split("\n").toSorted();
}

describe("names", () => {
  it("are those of the namespace that the flag or the word says, and begin as the word does", async () => {
    const { namespace } = cli;
    expect(await offered("-n", namespace, "runs", "")).toEqual([":4", "nightly", "triage"]);
    expect(await offered("-n", namespace, "runs", "tri")).toEqual([":4", "triage"]);
    expect(await offered(`--namespace=${namespace}`, "runs", "tri")).toEqual([":4", "triage"]);
    expect(await offered("runs", `${namespace}/n`)).toEqual([":4", `${namespace}/nightly`]);
    expect(await offered("-n", namespace, "settings", "")).toEqual([":4"]);
  });

  it("are none for a caller who may not list them, and no error", async () => {
    const forbidden = await cli.kubeconfigOf("completion-reader");
    const argv = ["__complete", "runs", "--kubeconfig", forbidden, ""];
    expect(await runPlugin(argv)).toEqual({ status: 0, out: ":4\n", err: "" });
  });
});

it("reaches kubectl by kubectl's own convention", async () => {
  const env = { PATH: [folder, process.env.PATH].join(delimiter), KUBECONFIG: testCluster().kubeconfig };
  const answer = await run(testCluster().kubectl, ["__complete", "runwright", "runs", "-n", cli.namespace, ""], {
    env,
  });
  expect(answer.split("\n")).toEqual(expect.arrayContaining(["nightly", "triage", ":4"]));
});
