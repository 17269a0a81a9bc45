import type { ApiClient } from "../../support/api-client.ts";
import type { Manifest } from "../../support/manifests.ts";

interface ResourceList {
  resources: { name: string; kind: string; namespaced: boolean }[];
}

/** Asks the API server where objects of this one's kind are created. */
export async function collectionPath(api: ApiClient, object: Manifest): Promise<string> {
  const { apiVersion, kind, metadata } = object;
  const root = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const { status, body } = await api.send("GET", root);
  if (status !== 200) throw new Error(`the API server serves no ${apiVersion}: ${status}`);
  // The discovery document of a real API server.
  const { resources } = body as ResourceList;
  const resource = resources.find((candidate) => candidate.kind === kind && !candidate.name.includes("/"));
  if (resource === undefined) throw new Error(`the API server has no kind ${kind} in ${apiVersion}`);
  return resource.namespaced
    ? `${root}/namespaces/${metadata.namespace ?? ""}/${resource.name}`
    : `${root}/${resource.name}`;
}
