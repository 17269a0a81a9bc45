import { randomBytes } from "node:crypto";

import { inject } from "vitest";

import type { ClusterCredentials } from "../../hack/cluster/cluster.ts";
import { connectApi, type ApiClient } from "./api-client.ts";

/** How a test reaches the API server of its project; admin's rights. */
export type TestCluster = ClusterCredentials & {
  /** Path of a kubeconfig file. */
  kubeconfig: string;
  /** Path of kubectl. */
  kubectl: string;
};

declare module "vitest" {
  interface ProvidedContext {
    testCluster: TestCluster;
  }
}

let own: TestCluster | undefined;
let api: ApiClient | undefined;

/** For those that have started a cluster of their own: it is {@link testCluster} until what is given back is called. */
export function useCluster(cluster: TestCluster): () => void {
  const before = { own, api };
  [own, api] = [cluster, undefined];
  return () => void ([own, api] = [before.own, before.api]);
}

/** The control plane (projects apiserver and chart) or cluster (project e2e) that the project's setup started. */
export function testCluster(): TestCluster {
  return own ?? inject("testCluster");
}

/** A plain client of {@link testCluster}, one for all test files of a worker. */
export function testApi(): ApiClient {
  api ??= connectApi(testCluster());
  return api;
}

/** Creates a namespace that no other test has and gives its name; it is never deleted, the cluster goes as a whole. */
export async function makeNamespace(prefix = "test", labels: Record<string, string> = {}): Promise<string> {
  const name = `${prefix}-${randomBytes(5).toString("hex")}`;
  const metadata = { name, labels };
  const { status, body } = await testApi().send("POST", "/api/v1/namespaces", {
    apiVersion: "v1",
    kind: "Namespace",
    metadata,
  });
  if (status !== 201) throw new Error(`namespace ${name} was refused: ${status} ${JSON.stringify(body)}`);
  return name;
}
