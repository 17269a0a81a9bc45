import { execFile } from "node:child_process";
import { promisify } from "node:util";

import { beforeAll, describe, expect, it, vi } from "vitest";

import { Automation, Environment, kinds, Repository, Run, SandboxClass } from "../../../src/api/v1alpha1/index.ts";
import { makeNamespace, testApi, testCluster } from "../../support/cluster.ts";
import { create, patch } from "./objects.ts";

let namespace: string;
beforeAll(async () => {
  namespace = await makeNamespace("definitions");
});

async function kubectl(...args: string[]): Promise<string> {
  const { kubeconfig, kubectl } = testCluster();
  const { stdout } = await promisify(execFile)(kubectl, [
    "--kubeconfig",
    kubeconfig,
    "--namespace",
    namespace,
    ...args,
  ]);
  return stdout;
}

describe.each(kinds)("the definition of $kind", ({ plural, group }) => {
  it("is established, with all its names and without complaint", async () => {
    const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${plural}.${group}`;
    const { body } = await testApi().send("GET", path);
    const { conditions } = (body as { status: { conditions: { type: string; status: string }[] } }).status;
    expect(Object.fromEntries(conditions.map(({ type, status }) => [type, status]))).toEqual({
      NamesAccepted: "True",
      Established: "True",
    });
  });
});

it("lets kubectl list a namespace's objects of all kinds, and each kind by its short name", async () => {
  const spec = { instructions: "do", trigger: { type: "Manual" }, serviceAccountName: "runner" };
  await create(Automation, namespace, { metadata: { name: "nightly" }, spec });
  expect(await kubectl("get", "runwright", "-o", "name")).toContain("automation.runwright.dev/nightly");
  expect(await kubectl("get", ...Automation.shortNames, "-o", "name")).toContain("nightly");
  await Promise.all(kinds.flatMap(({ shortNames }) => shortNames).map((name) => kubectl("get", name)));
});

it("lets kubectl show what became of a Run", async () => {
  await create(Run, namespace, {
    metadata: { name: "nightly-1" },
    spec: { automationRef: { name: "nightly" }, trigger: { type: "Manual" } },
  });
  const succeeded = {
    type: "Succeeded",
    status: "True",
    reason: "Completed",
    message: "done",
    lastTransitionTime: "2026-05-04T10:15:00Z",
  };
  const startTime = new Date(Date.now() - 3 * 3_600_000).toISOString();
  const result = { branch: "fix/alert" };
  await patch(Run, namespace, "nightly-1", { status: { conditions: [succeeded], startTime, took: "14m", result } });
  const [header = "", row = ""] = (await kubectl("get", "runs")).split("\n");
  const columns = ["NAME", "AUTOMATION", "TRIGGER", "SUCCEEDED", "REASON", "STARTED", "DURATION", "BRANCH", "AGE"];
  expect(header.split(/\s{2,}/)).toEqual(columns);
  expect(row).toMatch(/^nightly-1 +nightly +Manual +True +Completed +3h +14m +fix\/alert +\S+$/);
});

it("lets kubectl show why an Automation is not ready", async () => {
  const spec = { instructions: "do", trigger: { type: "Manual" }, serviceAccountName: "runner" };
  await create(Automation, namespace, { metadata: { name: "heavy" }, spec });
  const ready = {
    type: "Ready",
    status: "False",
    reason: "SecretsTooLarge",
    message: "131,073 bytes",
    lastTransitionTime: "2026-05-04T10:15:00Z",
  };
  const paused = { ...ready, type: "Paused", status: "True", reason: "Suspended" };
  await patch(Automation, namespace, "heavy", { status: { conditions: [ready, paused] } });
  const [header = "", row = ""] = (await kubectl("get", "automation", "heavy")).split("\n");
  const columns = ["NAME", "TRIGGER", "READY", "REASON", "PAUSED", "ACTIVE", "FAILURES", "LAST RUN", "AGE"];
  expect(header.split(/\s{2,}/)).toEqual(columns);
  expect(row).toMatch(/^heavy +Manual +False +SecretsTooLarge +True +\S+$/);
  expect(await kubectl("get", "automation", "heavy", "-o", "wide")).toMatch(/ AGE .*MESSAGE\n.* 131,073 bytes\n/);
});

it.each([
  { kind: Repository, spec: { url: "https://git.example.com/a.git" } },
  { kind: Environment, spec: { repositoryRefs: [{ name: "a" }] } },
  { kind: SandboxClass, spec: {} },
])("lets kubectl show why a $kind.kind is not ready", async ({ kind, spec }) => {
  const name = `broken-${namespace}`;
  await create(kind, namespace, { metadata: { name }, spec });
  const why = { reason: "InvalidSpec", message: "what is wrong", lastTransitionTime: "2026-05-04T10:15:00Z" };
  // Controllers of other tests on the same API server may write a SandboxClass between two steps, which has no namespace.
  await vi.waitFor(async () => {
    await patch(kind, namespace, name, { status: { conditions: [{ type: "Ready", status: "False", ...why }] } });
    const [header = "", row = ""] = (await kubectl("get", kind.plural, name, "-o", "wide")).split("\n");
    expect(header).toMatch(/ READY +REASON +AGE .*MESSAGE$/);
    expect(row).toMatch(/ False +InvalidSpec .* what is wrong$/);
  }, 240_000);
});

it("explains a field with its limits", async () => {
  const text = (await kubectl("explain", "automation.spec.instructions")).replaceAll(/\s+/g, " ");
  expect(text).toContain("instructions are what the agent is asked to do, 1 to 15,000 characters, not blank.");
});
