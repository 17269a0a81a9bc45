import { execFile } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

import { expect, it } from "vitest";

import { apiVersion, kinds } from "../../../src/api/v1alpha1/index.ts";
import { collectionPath } from "../api/paths.ts";
import { makeNamespace, testApi, testCluster } from "../../support/cluster.ts";
import { type Manifest, parseManifests } from "../../support/manifests.ts";

interface Stored extends Manifest {
  metadata: Manifest["metadata"] & { resourceVersion: string; generation: number };
}

const root = join(import.meta.dirname, "..", "..", "..");
const read = (pattern: string): string[] =>
  globSync(pattern, { cwd: root })
    .sort()
    .map((path) => readFileSync(join(root, path), "utf8"));

const samples = read("manifests/samples/**/*.yaml").flatMap(parseManifests);
const examples = read("docs/{,kinds/}*.md")
  .flatMap((page) => [...page.matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, block = ""]) => block))
  .flatMap(parseManifests)
  .filter((object) => object.apiVersion === apiVersion);

/** The same objects where no other test has them; each under a name of its own, since pages repeat names. */
function relocated(namespace: string): Manifest[] {
  const tenant = JSON.parse(JSON.stringify(samples).replaceAll(/\b(demo|standard)\b/g, namespace)) as Manifest[];
  const others = examples.map((object, index) => {
    const metadata = { ...object.metadata, name: `${namespace}-${index}` };
    const isNamespaced = kinds.find(({ kind }) => kind === object.kind)?.namespaced;
    return { ...object, metadata: isNamespaced ? { ...metadata, namespace } : metadata };
  });
  return [...tenant, ...others];
}

async function apply(objects: readonly Manifest[], flags: readonly string[]): Promise<Stored[]> {
  const { kubeconfig, kubectl } = testCluster();
  const args = ["--kubeconfig", kubeconfig, "apply", ...flags, "-o", "json", "-f", "-"];
  const run = promisify(execFile)(kubectl, args, { maxBuffer: 64 * 1024 * 1024 });
  run.child.stdin?.end(objects.map((object) => JSON.stringify(object)).join("\n"));
  return (JSON.parse((await run).stdout) as { items: Stored[] }).items;
}

/** Does what the controllers do: says in status what came of this generation. Gives the object as it is then. */
async function observe(object: Stored): Promise<Stored> {
  const kind = kinds.find((one) => object.apiVersion === apiVersion && one.kind === object.kind);
  if (!kind?.status) return object;
  const { name, namespace = "", generation } = object.metadata;
  const known = { reason: "Known", message: "", lastTransitionTime: "2026-05-04T10:15:00Z" };
  const conditions = [{ type: "Ready", status: "True", ...known }];
  const path = `${collectionPath(kind, namespace)}/${name}/status`;
  const { status, body } = await testApi().send("PATCH", path, {
    status: { observedGeneration: generation, conditions },
  });
  expect(status, `${object.kind} ${name}`).toBe(200);
  return body as Stored;
}

const versions = (objects: readonly Stored[]): string[] =>
  objects.map(({ kind, metadata }) => `${kind} ${metadata.name} ${metadata.resourceVersion}`);

it.each([
  { side: "client", flags: [] },
  { side: "server", flags: ["--server-side"] },
])("samples and examples of the docs, applied again on the $side's side, change nothing", async ({ side, flags }) => {
  const namespace = await makeNamespace(`again-${side}`);
  const objects = relocated(namespace);
  expect(samples.length).toBeGreaterThan(10);
  expect(new Set(objects.map(({ kind }) => kind))).toEqual(
    new Set([...samples.map(({ kind }) => kind), ...kinds.map(({ kind }) => kind)]),
  );
  const observed: Stored[] = [];
  for (const object of await apply(objects, flags)) observed.push(await observe(object));
  expect(versions(await apply(objects, flags))).toEqual(versions(observed));
  expect(versions(await apply(objects, flags))).toEqual(versions(observed));
});
