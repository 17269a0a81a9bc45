import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { ApiClient } from "./api-client.ts";

const group = "external.metrics.k8s.io";
const version = "v1beta1";
const serviceName = "external-metrics";

/** The API of external metrics, from which the HPA controller reads. */
export interface ExternalMetrics {
  /** By the metric's name; read anew at each request. */
  readonly values: Map<string, number>;
  /** How often each metric was read. */
  readonly reads: Map<string, number>;
  /** Has the API server forward requests for the group to this server. */
  register(api: ApiClient): Promise<void>;
  close(): Promise<void>;
}

/** Serves the group on loopback, as an adapter of a monitoring system does. */
export async function startExternalMetrics(certificate: { cert: string; key: string }): Promise<ExternalMetrics> {
  const [values, reads] = [new Map<string, number>(), new Map<string, number>()];
  const server = createServer(certificate, ({ url = "" }, response) => {
    const { pathname } = new URL(url, "https://localhost");
    const root = `/apis/${group}/${version}`;
    if (pathname === root) {
      answer(response, 200, {
        kind: "APIResourceList",
        apiVersion: "v1",
        groupVersion: `${group}/${version}`,
        resources: [],
      });
      return;
    }
    const name = new RegExp(`^${root}/namespaces/[^/]+/([^/]+)$`).exec(pathname)?.[1] ?? "";
    const value = values.get(name);
    if (value === undefined) {
      answer(response, 404, { kind: "Status", apiVersion: "v1", status: "Failure", reason: "NotFound", code: 404 });
      return;
    }
    reads.set(name, (reads.get(name) ?? 0) + 1);
    const timestamp = `${new Date().toISOString().slice(0, 19)}Z`;
    const items = [{ metricName: name, metricLabels: {}, timestamp, value: String(value) }];
    answer(response, 200, { kind: "ExternalMetricValueList", apiVersion: `${group}/${version}`, metadata: {}, items });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    values,
    reads,
    register: (api) => register(api, port),
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

/** The API server goes to a Service of type ExternalName by its name, which here is this machine's. */
async function register(api: ApiClient, port: number): Promise<void> {
  const namespace = "kube-system";
  await api.apply(`/api/v1/namespaces/${namespace}/services/${serviceName}`, {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: serviceName, namespace },
    spec: { type: "ExternalName", externalName: "localhost", ports: [{ port }] },
  });
  await api.apply(`/apis/apiregistration.k8s.io/v1/apiservices/${version}.${group}`, {
    apiVersion: "apiregistration.k8s.io/v1",
    kind: "APIService",
    metadata: { name: `${version}.${group}` },
    spec: {
      group,
      version,
      groupPriorityMinimum: 100,
      versionPriority: 100,
      insecureSkipTLSVerify: true,
      service: { namespace, name: serviceName, port },
    },
  });
}
