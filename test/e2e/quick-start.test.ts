import { type ChildProcess, spawn } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";

import { afterAll, beforeAll, expect, it } from "vitest";

import { Run } from "../../src/api/v1alpha1/index.ts";
import { run } from "../../hack/lib/command.ts";
import { freePorts } from "../../hack/lib/ports.ts";
import { testCluster } from "../support/cluster.ts";
import { until } from "../support/kube.ts";
import { useBranch } from "./support/branch.ts";
import { listBranches } from "./support/git-evidence.ts";
import { openStage, type Stage } from "./support/tenant.ts";
import { missingLines, tutorialSteps } from "./support/tutorial-steps.ts";
import { kubectl } from "./support/workbench.ts";

// README's quick start as it stands there, typed by a person with a repository and an agent of their own. The release is installed,
// and the plugin built, by what runs these tests.

const root = join(import.meta.dirname, "..", "..");
const samples = join("manifests", "samples");
const readme = await readFile(join(root, "README.md"), "utf8");
const [install, apply, makeKey, forward, send, look] = tutorialSteps(readme).filter(
  ({ heading }) => heading === "On your own cluster",
);

let folder: string;
let stage: Stage;
let port: number;
const forwards: ChildProcess[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "quick-start-"));
  stage = await openStage("quick-start");
  [port = 0] = await freePorts(1);
  const programs = join(folder, "programs");
  await cp(join(root, samples), join(folder, samples), { recursive: true });
  await mkdir(programs);
  await symlink(testCluster().kubectl, join(programs, "kubectl"));
  await symlink(join(root, "dist", "kubectl-runwright.mjs"), join(programs, "kubectl-runwright"));
  for (const done of ["npm", "install"]) await writeFile(join(programs, done), "#!/bin/sh\n", { mode: 0o755 });
  await takeOwn();
});

afterAll(async () => {
  for (const child of forwards) if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  const clusterScoped = ["sandboxclass/standard", "clusterrole/runwright-class-standard"];
  const bindings = ["clusterrolebinding/demo-automation-runner-class-standard"];
  await kubectl(stage.bench, ["delete", "--ignore-not-found", "namespace/demo", ...clusterScoped, ...bindings]);
  await stage.close();
  await rm(folder, { recursive: true, force: true });
});

/** Puts the git server's URL, its credential and its authority into the samples, and the way to it into the class. */
async function takeOwn(): Promise<void> {
  const { git } = stage;
  const authority = JSON.stringify({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "authority", namespace: "demo" },
    stringData: { "ca.crt": git.authority },
  });
  await edit("03-repository.yaml", [
    ["https://git.example.com/shop/checkout.git", git.url],
    ["username: git", `username: ${git.credential.username}`],
    ["a-token-that-may-push-branches", git.credential.password],
    ["  credentialSecretRef:", `  caSecretRef: {name: authority}\n  credentialSecretRef:`],
    ["apiVersion: v1", `${authority}\n---\napiVersion: v1`],
  ]);
  const allowed = git.addresses.map((cidr) => `{cidr: ${cidr}}`).join(", ");
  await edit("02-sandbox-class.yaml", [["internet: true", `internet: true\n    allow: [${allowed}]`]]);
}

async function edit(file: string, changes: readonly (readonly [string, string])[]): Promise<void> {
  const path = join(folder, samples, file);
  let text = await readFile(path, "utf8");
  for (const [from, to] of changes) {
    expect(text, `${file} has ${from}`).toContain(from);
    text = text.replace(from, to);
  }
  await writeFile(path, text);
}

const commandsOf = (step: { commands: string } | undefined): string =>
  (step?.commands ?? "false").replaceAll("8080", String(port));

function environment(): Record<string, string> {
  const path = [join(folder, "programs"), dirname(process.execPath), process.env.PATH].join(delimiter);
  return { KUBECONFIG: testCluster().kubeconfig, PATH: path };
}

function type(commands: string): Promise<string> {
  return run("bash", ["-euo", "pipefail", "-c", commands], { cwd: folder, env: environment() });
}

/** Types a command that goes on, and waits until the port answers. */
async function begin(commands: string): Promise<void> {
  const env = { ...process.env, ...environment() };
  forwards.push(spawn("bash", ["-c", `${commands}\nwait`], { cwd: folder, env, stdio: "ignore", detached: true }));
  const answers = (): Promise<boolean> =>
    fetch(`http://127.0.0.1:${port}/`).then(
      () => true,
      () => false,
    );
  await until("the ingress is reached", answers);
}

it("README's quick start ends in triggered: 1 and a branch that the agent pushed", async () => {
  expect(install?.commands).toContain("helm install runwright charts/runwright");
  await type(commandsOf(apply));
  const agent = await readFile(join(root, samples, "agent.sh"), "utf8");
  await useBranch(stage, { namespace: "demo" }, { ".runwright/agent.sh": agent });

  const [key = ""] = /(?<![\w-])[\w-]{43}(?![\w-])/.exec(await type(commandsOf(makeKey))) ?? [];
  await begin(commandsOf(forward));
  const answer = await type(commandsOf(send).replace("RUNWRIGHT_API_KEY=…", `RUNWRIGHT_API_KEY=${key}`));
  expect({ answer, missing: missingLines(send?.printed ?? "none", answer) }).toEqual({ answer, missing: [] });

  const seen = await type(commandsOf(look));
  expect({ seen, missing: missingLines(look?.printed ?? "none", seen) }).toEqual({ seen, missing: [] });
  const [ended] = (await stage.bench.client.list(Run, { namespace: "demo" })).items;
  expect(ended?.status?.result?.summary).toContain("Put a real agent in the place of this script");
  expect(await listBranches(stage.bench, stage.git)).toContain(`${ended?.status?.result?.branch} `);
});
