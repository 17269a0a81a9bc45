import type { KubeObject } from "../../../src/lib/resource.ts";
import type { ApiClient } from "../../support/api-client.ts";
import type { Manifest } from "../../support/manifests.ts";
import type { RequestFlow } from "../../support/request-flow.ts";
import { collectionPath } from "./api-paths.ts";
import { renderChart } from "./render.ts";

/** A FlowSchema of the chart. */
export type FlowSchema = KubeObject & {
  spec: {
    matchingPrecedence: number;
    priorityLevelConfiguration: { name: string };
    rules: { subjects: { serviceAccount: { name: string } }[]; resourceRules: { namespaces: string[] }[] }[];
  };
};

/** Installs the chart's flow of Leases of one release; resolves with its UID and its level's, before it is in use. */
export async function installFlow(api: ApiClient, release: { name: string; namespace: string }): Promise<RequestFlow> {
  const [schema] = (await renderChart(release)).ofKind<FlowSchema & Manifest>("FlowSchema");
  if (!schema) throw new Error("the chart has no FlowSchema");
  const created = await api.send("POST", await collectionPath(api, schema), schema);
  if (created.status !== 201) throw new Error(`the FlowSchema was refused: ${JSON.stringify(created.body)}`);
  const { name } = schema.spec.priorityLevelConfiguration;
  const path = `/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations/${name}`;
  const level = await api.send("GET", path);
  if (level.status !== 200) throw new Error(`the API server has no priority level ${name}: ${level.status}`);
  const uidOf = (body: unknown): string => (body as { metadata: { uid: string } }).metadata.uid;
  return { schema: uidOf(created.body), level: uidOf(level.body) };
}
