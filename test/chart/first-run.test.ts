import { expect, it } from "vitest";

import type { KubeObject } from "../../src/lib/resource.ts";
import { makeNamespace, testApi } from "../support/cluster.ts";
import { type Manifest, parseManifests } from "../support/manifests.ts";
import { collectionPath } from "./support/api-paths.ts";
import { renderChart } from "./support/render.ts";

interface ConfigMap extends KubeObject {
  data: { automation: string; run: string };
}

/** What the notes of an installation have people apply for their first Run. */
async function firstRun(values: Record<string, unknown>): Promise<Manifest[]> {
  const rendered = await renderChart({ values, showOnly: ["templates/first-run.yaml"] });
  const [{ data } = { data: { automation: "", run: "" } }] = rendered.ofKind<ConfigMap>("ConfigMap");
  return [data.automation, data.run].flatMap(parseManifests);
}

it("is taken by the API server in the first namespace that is watched, which it leaves alone", async () => {
  const watched = await makeNamespace("watched");
  const objects = await firstRun({ watchNamespaces: [watched, "other"], imagePullSecrets: [{ name: "registry" }] });
  const answers: unknown[] = [];
  for (const object of objects) {
    const path = `${await collectionPath(testApi(), object)}?dryRun=All&fieldValidation=Strict`;
    const { status, body } = await testApi().send("POST", path, object);
    answers.push(status === 201 ? object.kind : { kind: object.kind, status, body });
  }
  expect(answers).toEqual(["SandboxClass", "ClusterRole", "ServiceAccount", "RoleBinding", "Automation", "Run"]);
  const namespaces = new Set(objects.map(({ metadata }) => metadata.namespace).filter(Boolean));
  expect(namespaces).toEqual(new Set([watched]));
});

it("has a namespace of its own where the whole cluster is served", async () => {
  const [namespace, ...objects] = await firstRun({});
  expect(namespace).toMatchObject({ kind: "Namespace", metadata: { name: "first-run" } });
  expect(objects.at(-1)).toMatchObject({ kind: "Run", metadata: { namespace: "first-run" } });
});

it("has sandboxes pull with the Secrets of the operator's pods, and with none by default", async () => {
  const secrets = async (values: Record<string, unknown>): Promise<unknown> =>
    (await firstRun(values)).find(({ kind }) => kind === "SandboxClass");
  expect(await secrets({ imagePullSecrets: [{ name: "a" }, { name: "b" }] })).toMatchObject({
    spec: { imagePullSecrets: ["a", "b"] },
  });
  expect(await secrets({})).not.toHaveProperty("spec.imagePullSecrets");
});
