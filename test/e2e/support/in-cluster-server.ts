import { pods, services } from "../../../src/kube/core-resources.ts";
import type { Workbench } from "./workbench.ts";

/** A program of the demo that runs in the cluster on the sandbox image, as one pod behind one Service of its name. */
export interface InClusterServer {
  namespace: string;
  name: string;
  image: string;
  /** Where clients reach it; the pod's port has the same name. */
  port: { name: "http" | "https"; service: number; pod: number };
  env?: object[];
  volumes: { name: string; mountPath: string; source: object }[];
  /** A pod that started under other annotations is replaced. */
  annotations?: Record<string, string>;
}

/** Service and Deployment, admitted under the restricted profile; the program is `server.mjs` in `/program`. */
export function serverObjects(server: InClusterServer): object[] {
  const { namespace, name, port, annotations = {} } = server;
  const labels = labelsOf(name);
  const metadata = { name, namespace, labels };
  const service = { selector: labels, ports: [{ name: port.name, port: port.service, targetPort: port.pod }] };
  return [
    { apiVersion: "v1", kind: "Service", metadata, spec: service },
    {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata,
      spec: {
        replicas: 1,
        strategy: { type: "Recreate" },
        selector: { matchLabels: labels },
        template: { metadata: { labels, annotations }, spec: podSpec(server) },
      },
    },
  ];
}

/** Addresses of a server's Service and pod, each as a range of one, for network policies. */
export async function addressesOf(
  { client }: Workbench,
  { namespace, name }: Pick<InClusterServer, "namespace" | "name">,
): Promise<string[]> {
  const service = await client.get(services, { namespace, name });
  const labelSelector = Object.entries(labelsOf(name)).map(([label, value]) => `${label}=${value}`);
  const { items } = await client.list(pods, { namespace, labelSelector: labelSelector.join(",") });
  const addresses = [service.spec?.clusterIP, ...items.map(({ status }) => status?.podIP)];
  return addresses
    .filter((address) => address !== undefined)
    .map((address) => `${address}/${address.includes(":") ? 128 : 32}`);
}

function labelsOf(name: string): Record<string, string> {
  return { "app.kubernetes.io/name": `runwright-demo-${name}` };
}

function podSpec(server: InClusterServer): object {
  return {
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    terminationGracePeriodSeconds: 2,
    securityContext: {
      runAsNonRoot: true,
      runAsUser: 10_002,
      runAsGroup: 10_000,
      fsGroup: 10_000,
      seccompProfile: { type: "RuntimeDefault" },
    },
    containers: [container(server)],
    volumes: server.volumes.map(({ name, source }) => ({ name, ...source })),
  };
}

function container({ name, image, port, env = [], volumes }: InClusterServer): object {
  const scheme = port.name.toUpperCase();
  return {
    name,
    image,
    imagePullPolicy: "IfNotPresent",
    command: ["node", "/program/server.mjs"],
    env,
    ports: [{ name: port.name, containerPort: port.pod }],
    readinessProbe: { httpGet: { path: "/healthz", port: port.name, scheme }, periodSeconds: 1 },
    resources: { requests: { cpu: "20m", memory: "64Mi" }, limits: { memory: "256Mi" } },
    securityContext: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ["ALL"] } },
    volumeMounts: volumes.map(({ name: volume, mountPath }) => ({ name: volume, mountPath })),
  };
}
