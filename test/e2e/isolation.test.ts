import { afterAll, beforeAll, expect, it } from "vitest";

import { type Prompt, Prompt as prompts } from "../../src/api/v1alpha1/index.ts";
import { sandboxContainers } from "../../src/api/runtime/pod-contract.ts";
import type { Pod } from "../../src/kube/core-resources.ts";
import { samplePayload } from "./support/payload.ts";
import { succeeded } from "./support/stages.ts";
import { kubectl } from "./support/workbench.ts";
import { makeTenant, openStage, type Stage, type Tenant } from "./support/tenant.ts";

/** What the probe, running as the agent, found in its container. */
interface Findings {
  user: number;
  environment: string[];
  /** Command lines of all processes that it can see. */
  processes: string[];
  /** Files below the usual places of tokens and credentials. */
  suspicious: string[];
  /** Text of files that git and the runtime leave in the agent's reach. */
  gitConfig: string;
  rootIsWritable: boolean;
}

/** Runs as the agent; it may only report through its summary. */
const probe = `
const { readdirSync, readFileSync, existsSync, writeFileSync } = require("node:fs");
const tryTo = (work, otherwise) => { try { return work(); } catch { return otherwise; } };
const processes = readdirSync("/proc").filter((name) => /^[0-9]+$/.test(name))
  .map((pid) => tryTo(() => readFileSync("/proc/" + pid + "/cmdline", "utf8").replaceAll("\\0", " ").trim().slice(0, 120), ""));
const walk = (path) => tryTo(() => readdirSync(path, { recursive: true }).map((name) => path + "/" + name), []);
const places = ["/var/run/secrets", "/run/secrets", "/run/runwright/token", "/run/runwright/gateway", "/etc/kubernetes"];
const findings = {
  user: process.getuid(),
  environment: Object.entries(process.env).map(([name, value]) => name + "=" + value),
  processes,
  suspicious: places.filter(existsSync).flatMap((place) => [place, ...walk(place)]),
  gitConfig: [".git/config", process.env.HOME + "/.gitconfig", process.env.HOME + "/.git-credentials"]
    .map((file) => tryTo(() => readFileSync(file, "utf8"), "")).join("\\n"),
  rootIsWritable: tryTo(() => { writeFileSync("/probe", ""); return true; }, false),
};
console.log(JSON.stringify({ type: "result", summary: JSON.stringify(findings) }));
`;

let stage: Stage;
let tenant: Tenant;
let findings: Findings;
let pod: Pod;
let incident: string;
let prompt: Prompt;

beforeAll(async () => {
  stage = await openStage("isolation");
  tenant = await makeTenant(stage, { command: ["node", "-e", probe] });
  const sample = await samplePayload({ keyed: true });
  incident = sample.incident;
  const started = await tenant.start("a delivery for the probe", sample.body);
  const withPod = tenant.watcher.until(started.name, ({ pod: seen }) => seen !== undefined, "the sandbox pod");
  const { run } = await tenant.watcher.follow(started);
  expect(succeeded(run)).toMatchObject({ status: "True" });
  pod = (await withPod).pod ?? { metadata: {} };
  // Our own probe wrote it.
  findings = JSON.parse(run.status?.result?.summary ?? "{}") as Findings;
  const session = run.status?.sessions?.[0]?.name ?? "";
  prompt = await stage.bench.client.get(prompts, { namespace: tenant.namespace, name: `${session}-1` });
});

afterAll(async () => {
  await tenant.close();
  await stage.close();
});

it("runs the agent as a user of its own", () => {
  expect(findings.user).toBe(10_002);
});

it("shows the agent no process but those of its own container", () => {
  expect(findings.processes.length).toBeGreaterThan(0);
  expect(findings.processes.some((line) => line.endsWith(" agent"))).toBe(true);
  expect(findings.processes.filter((line) => / runtime$|\/pause/.test(line))).toEqual([]);
});

it("mounts no token where the agent could read it", () => {
  expect(findings.suspicious).toEqual([]);
});

it("puts no credential into the agent's environment or git configuration", () => {
  const reachable = [...findings.environment, findings.gitConfig].join("\n");
  expect(findings.gitConfig).toContain("[credential]");
  expect(reachable).not.toContain(stage.git.credential.password);
  expect(findings.environment.filter((line) => /^(KUBERNETES_|RUNWRIGHT_TOKEN)/.test(line))).toEqual([]);
});

it("gives the agent a root file system that it cannot write", () => {
  expect(findings.rootIsWritable).toBe(false);
});

it("puts nothing secret into the pod spec, and no payload", () => {
  const text = JSON.stringify(pod);
  const { password, username } = stage.git.credential;
  expect(prompt.spec.text).toContain(incident);
  for (const secret of [password, `${username}:`, tenant.key, incident, "Find the cause of the alert"]) {
    expect(text).not.toContain(secret);
  }
  expect(pod.spec?.automountServiceAccountToken).toBe(false);
  const agent = pod.spec?.containers.find(({ name }) => name === sandboxContainers.agent);
  expect(agent?.volumeMounts?.map(({ mountPath }) => mountPath)).not.toContain("/run/runwright/token");
});

it("was admitted where the restricted profile is enforced", async () => {
  const labels = await kubectl(stage.bench, [
    "get",
    "namespace",
    tenant.namespace,
    "-o",
    "jsonpath={.metadata.labels}",
  ]);
  expect(JSON.parse(labels)).toMatchObject({ "pod-security.kubernetes.io/enforce": "restricted" });
});
