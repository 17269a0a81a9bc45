import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { waitForDeployments } from "./deployments.ts";
import { addressesOf, serverObjects } from "./in-cluster-server.ts";
import type { Narrator } from "./narrator.ts";
import { apply, type Workbench } from "./workbench.ts";

/** A model service in the cluster that answers from a script. */
export interface ScriptedModel {
  /** Where an agent finds its chat interface. */
  baseUrl: string;
  /** Addresses of Service and pod, each as a range of one, for network policies. */
  addresses: string[];
}

export const modelName = "model";
const port = 8080;
const program = join(import.meta.dirname, "scripted-model", "server.mjs");

/** Starts the scripted model in a namespace that is there. */
export async function startScriptedModel(
  bench: Workbench,
  namespace: string,
  image: string,
  narrator: Narrator,
): Promise<ScriptedModel> {
  const text = await readFile(program, "utf8");
  await apply(bench, [
    { apiVersion: "v1", kind: "ConfigMap", metadata: { name: modelName, namespace }, data: { "server.mjs": text } },
    ...serverObjects({
      namespace,
      name: modelName,
      image,
      port: { name: "http", service: port, pod: port },
      volumes: [{ name: "program", mountPath: "/program", source: { configMap: { name: modelName } } }],
      annotations: { "runwright-demo/program": createHash("sha256").update(text).digest("hex") },
    }),
  ]);
  await waitForDeployments(bench, { namespace, names: [modelName] }, narrator);
  const addresses = await addressesOf(bench, { namespace, name: modelName });
  return { baseUrl: `http://${modelName}.${namespace}.svc:${port}/v1`, addresses };
}
