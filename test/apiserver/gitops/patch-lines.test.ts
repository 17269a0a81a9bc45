import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

import { expect, it } from "vitest";

import { until } from "../../support/kube.ts";
import { testApi, testCluster } from "../../support/cluster.ts";
import { checkedKinds } from "./judge.ts";

const root = join(import.meta.dirname, "..", "..", "..");
const page = readFileSync(join(root, "docs", "operate", "gitops.md"), "utf8");

/** The only command of the page that patches such an object, as its words. */
function commandFor(resource: string): string[] {
  const blocks = [...page.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = ""]) => block.replaceAll("\\\n", " "));
  const commands = blocks.flatMap((block) => block.trim().split("\n")).map((line) => line.split(/\s+/));
  const [command, ...others] = commands.filter((words) => words.join(" ").startsWith(`kubectl patch ${resource} `));
  expect([command?.[0], others]).toEqual(["kubectl", []]);
  return command?.slice(1) ?? [];
}

async function runKubectl(words: readonly string[]): Promise<void> {
  const { kubeconfig, kubectl } = testCluster();
  await promisify(execFile)(kubectl, ["--kubeconfig", kubeconfig, ...words], { cwd: root });
}

const runAsWritten = (resource: string): Promise<void> => runKubectl(commandFor(resource));

async function namespace(name: string): Promise<void> {
  await testApi().apply(`/api/v1/namespaces/${name}`, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
}

it("the line for Argo CD adds our checks to what its ConfigMap has", async () => {
  await namespace("argocd");
  const path = "/api/v1/namespaces/argocd/configmaps/argocd-cm";
  const data = { "accounts.ci": "apiKey" };
  await testApi().apply(path, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "argocd-cm" }, data });
  await runAsWritten("configmap");
  const { body } = await testApi().send("GET", path);
  const { argoCD } = await checkedKinds();
  const keys = argoCD.map((kind) => `resource.customizations.health.runwright.dev_${kind}`);
  const stored = (body as { data: Record<string, string> }).data;
  expect(new Set(Object.keys(stored))).toEqual(new Set([...Object.keys(data), ...keys]));
});

it("the line for Flux adds our expressions to a Kustomization and leaves the rest", async () => {
  await installKustomizations();
  await namespace("flux-system");
  const path = "/apis/kustomize.toolkit.fluxcd.io/v1/namespaces/flux-system/kustomizations/my-automations";
  const spec = { path: "./automations", prune: true };
  const metadata = { name: "my-automations" };
  const object = { apiVersion: "kustomize.toolkit.fluxcd.io/v1", kind: "Kustomization", metadata, spec };
  const isKnown = (): Promise<boolean> =>
    runKubectl(["get", "kustomizations", "-n", "flux-system"]).then(
      () => true,
      () => false,
    );
  await until("kubectl knows Kustomizations", isKnown);
  await testApi().apply(path, object);
  await runAsWritten("kustomization");
  const { body } = await testApi().send("GET", path);
  const stored = (body as { spec: { healthCheckExprs: { kind: string }[] } }).spec;
  const { flux } = await checkedKinds();
  expect(stored).toMatchObject({ ...spec, wait: true });
  expect(stored.healthCheckExprs.map(({ kind }) => kind).sort()).toEqual(flux);
});

/** Flux's kind, in so far as a patch needs it. */
async function installKustomizations(): Promise<void> {
  const group = "kustomize.toolkit.fluxcd.io";
  const names = { plural: "kustomizations", singular: "kustomization", kind: "Kustomization" };
  const openAPIV3Schema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const metadata = { name: `${names.plural}.${group}` };
  const versions = [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema } }];
  await testApi().apply(`/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${metadata.name}`, {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata,
    spec: { group, names, scope: "Namespaced", versions },
  });
}
