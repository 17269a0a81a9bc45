import { Agent, request } from "undici";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";

import { headersOf, tlsOf } from "../../hack/cluster/cluster.ts";
import type { KubeObject } from "../../src/lib/resource.ts";
import { makeNamespace, testApi, testCluster } from "../support/cluster.ts";
import { until } from "../support/kube.ts";
import { collectionPath } from "./support/api-paths.ts";
import { renderChart } from "./support/render.ts";

type FlowSchema = KubeObject & {
  spec: {
    matchingPrecedence: number;
    rules: { subjects: { serviceAccount: { name: string } }[]; resourceRules: { namespaces: string[] }[] }[];
  };
};

async function schemasOf(values: Record<string, unknown>): Promise<FlowSchema[]> {
  return (await renderChart({ name: "rw", namespace: "system", values })).ofKind<FlowSchema>("FlowSchema");
}

describe("the flow of Leases", () => {
  it("is there by default, of the processes that have Leases", async () => {
    const [schema, ...others] = await schemasOf({});
    expect(others).toEqual([]);
    expect(schema?.metadata.name).toBe("system-rw-leases");
    const [rule] = schema?.spec.rules ?? [];
    expect(rule?.subjects.map(({ serviceAccount }) => serviceAccount.name)).toEqual(["rw-controller", "rw-gateway"]);
    expect(rule?.resourceRules).toEqual([
      {
        verbs: ["get", "create", "update", "patch"],
        apiGroups: ["coordination.k8s.io"],
        resources: ["leases"],
        namespaces: ["system"],
      },
    ]);
  });

  it("has the connector's, where there is one", async () => {
    const [schema] = await schemasOf({ "connector.enabled": true });
    const names = schema?.spec.rules[0]?.subjects.map(({ serviceAccount }) => serviceAccount.name);
    expect(names).toEqual(["rw-controller", "rw-gateway", "rw-connector"]);
  });

  it.each([{ "flowSchema.leases.enabled": false }, { adminObjects: false }])("is not there with %j", async (values) => {
    expect(await schemasOf(values)).toEqual([]);
  });

  it("comes before that of all other requests", async () => {
    const precedences = (await schemasOf({ "flowSchema.enabled": true })).map(({ metadata, spec }) => {
      return [metadata.name, spec.matchingPrecedence];
    });
    expect(Object.fromEntries(precedences)).toEqual({ "system-rw": 1_000, "system-rw-leases": 200 });
  });
});

describe("an API server", () => {
  let namespace: string;
  let own: string;
  beforeAll(async () => {
    namespace = await makeNamespace("flows");
    const [schema] = (await renderChart({ name: "rw", namespace })).ofKind<FlowSchema>("FlowSchema");
    const { status, body } = await testApi().send("POST", await collectionPath(testApi(), schema as never), schema);
    expect(status).toBe(201);
    own = (body as { metadata: { uid: string } }).metadata.uid;
  });

  /** UID of the FlowSchema that a request of one of the release's accounts, or of another, is counted for. */
  async function flowOf(account: string, path: string): Promise<unknown> {
    const cluster = testCluster();
    const agent = new Agent({ connect: tlsOf(cluster) });
    onTestFinished(() => agent.close());
    const user = `system:serviceaccount:${namespace}:${account}`;
    const headers = { ...headersOf(cluster), "impersonate-user": user, "impersonate-group": "system:serviceaccounts" };
    const answer = await request(`${cluster.server}${path}`, { dispatcher: agent, headers });
    await answer.body.dump();
    return answer.headers["x-kubernetes-pf-flowschema-uid"];
  }

  const leasesOf = (where: string): string => `/apis/coordination.k8s.io/v1/namespaces/${where}/leases/gateway-one`;

  it("counts the gateway's own Leases for the release's flow, and nothing else of it", async () => {
    await until("the schema is in use", async () => (await flowOf("rw-gateway", leasesOf(namespace))) === own);
    expect(await flowOf("rw-controller", leasesOf(namespace))).toBe(own);
    expect(await flowOf("rw-ingress", leasesOf(namespace))).not.toBe(own);
    expect(await flowOf("other", leasesOf(namespace))).not.toBe(own);
    expect(await flowOf("rw-gateway", leasesOf("elsewhere"))).not.toBe(own);
    expect(await flowOf("rw-gateway", `/api/v1/namespaces/${namespace}/secrets/one`)).not.toBe(own);
  });
});
