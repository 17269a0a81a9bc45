import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { parse } from "yaml";

import { run } from "../../../hack/lib/command.ts";
import { progressOnStderr } from "../../../hack/lib/progress.ts";
import { ensureHealth } from "../../../hack/toolchain/health.ts";
import { kinds, type Kind } from "../../../src/api/v1alpha1/index.ts";
import { apiVersionOf, type KubeObject } from "../../../src/lib/resource.ts";

/** How the tools see one object: kstatus, Argo CD, Flux with its expressions. */
export type Verdicts = [kstatus: string | undefined, argoCD: string | undefined, flux: string | undefined];

interface Answer {
  kstatus: { status: string; message: string };
  argoCD?: { status: string; message: string };
  flux?: { status: string; message: string };
}

const manifests = join(import.meta.dirname, "..", "..", "..", "manifests", "gitops");
const luaKey = "resource.customizations.health.runwright.dev_";

/** Kinds that each of the shipped files has a check for. */
export async function checkedKinds(): Promise<{ argoCD: string[]; flux: string[] }> {
  const { lua, healthCheckExprs } = await shippedChecks();
  return { argoCD: Object.keys(lua).sort(), flux: healthCheckExprs.map(({ kind }) => kind).sort() };
}

/** Has the real libraries judge stored objects by the shipped checks. */
export async function judge(objects: readonly KubeObject[]): Promise<Verdicts[]> {
  const program = await ensureHealth(progressOnStderr("health"));
  const input = JSON.stringify({ objects: objects.map(withKind), ...(await shippedChecks()) });
  const answers = JSON.parse(await run(program, [], { input })) as Answer[];
  return answers.map(({ kstatus, argoCD, flux }) => [kstatus.status, argoCD?.status, flux?.status]);
}

function withKind(object: KubeObject): KubeObject {
  const kind = kinds.find((one: Kind) => one.kind === object.kind);
  return kind ? { ...object, apiVersion: apiVersionOf(kind) } : object;
}

async function shippedChecks(): Promise<{ lua: Record<string, string>; healthCheckExprs: { kind: string }[] }> {
  const { data } = (await read("argocd-cm-patch.yaml")) as { data: Record<string, string> };
  const { spec } = (await read("flux-kustomization-patch.yaml")) as { spec: { healthCheckExprs: { kind: string }[] } };
  const lua = Object.entries(data).map(([key, script]) => [key.replace(luaKey, ""), script] as const);
  return { lua: Object.fromEntries(lua), healthCheckExprs: spec.healthCheckExprs };
}

async function read(file: string): Promise<unknown> {
  return parse(await readFile(join(manifests, file), "utf8"));
}
