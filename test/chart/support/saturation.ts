import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

import type { ControlPlane } from "../../../hack/cluster/cluster.ts";
import { readPem } from "../../../hack/lib/pki.ts";
import { type ApiClient, connectApi } from "../../support/api-client.ts";
import { until } from "../../support/kube.ts";

const levelsPath = "/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations";
const namespace = "flood";
const configMaps = `/api/v1/namespaces/${namespace}/configmaps`;
/** Each holds its seat until then, in seconds; the API server allows no more. */
const heldSeconds = 30;

/** Whose requests take the seats of which priority level. */
export interface Flood {
  level: string;
  user: string;
}

/**
 * Has requests wait at an API server that hold all seats of some priority levels, and others queue behind them. They are creates
 * before a webhook that does not answer, so that neither processor nor disk is busy. Resolves once requests queue at each level.
 */
export async function saturate(plane: ControlPlane, floods: readonly Flood[]): Promise<{ close(): Promise<void> }> {
  const admin = connectApi(plane);
  const webhook = await silentServer(plane);
  const clients = floods.map(({ user }) => connectApi(plane, user));
  await prepare(plane, { admin, port: webhook.port, floods });
  for (const [at, client] of clients.entries()) {
    const mayCreate = async (): Promise<boolean> => (await client.send("GET", configMaps)).status === 200;
    await until(`${floods[at]!.user} has its rights`, mayCreate);
  }
  let isOver = false;
  const hold = async (client: ApiClient): Promise<void> => {
    while (!isOver) await client.send("POST", configMaps, { metadata: { generateName: "any-" } });
  };
  // More than all seats of the API server.
  const held = clients.flatMap((client) => Array.from({ length: 40 }, () => hold(client)));
  for (const { level } of floods) {
    await until(`requests queue at ${level}`, async () => {
      return (await metric(admin, "apiserver_flowcontrol_current_inqueue_requests", level)) > 0;
    });
  }
  return {
    async close() {
      isOver = true;
      webhook.close();
      await Promise.all(held);
      for (const client of [admin, ...clients]) await client.close();
    },
  };
}

async function silentServer({ directory }: ControlPlane): Promise<{ port: number; close(): void }> {
  const pki = join(directory, "pki");
  const [cert, key] = await Promise.all(["apiserver.crt", "apiserver.key"].map((file) => readPem(pki, file)));
  const server = createServer({ cert, key }, () => undefined).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function prepare(
  { certificateAuthority }: ControlPlane,
  { admin, port, floods }: { admin: ApiClient; port: number; floods: readonly Flood[] },
): Promise<void> {
  await admin.apply(`/api/v1/namespaces/${namespace}`, {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: namespace },
  });
  await admin.apply(`/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/${namespace}`, {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRoleBinding",
    metadata: { name: namespace },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
    subjects: floods.map(({ user: name }) => ({ apiGroup: "rbac.authorization.k8s.io", kind: "User", name })),
  });
  for (const { level } of floods) await closeOff(admin, level);
  await admin.apply(`/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/${namespace}`, {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingWebhookConfiguration",
    metadata: { name: namespace },
    webhooks: [
      {
        name: "silent.example.com",
        clientConfig: {
          url: `https://127.0.0.1:${port}/`,
          caBundle: Buffer.from(certificateAuthority).toString("base64"),
        },
        rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] }],
        namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": namespace } },
        timeoutSeconds: heldSeconds,
        failurePolicy: "Fail",
        sideEffects: "None",
        admissionReviewVersions: ["v1"],
      },
    ],
  });
}

/** The level keeps its seats and gets no others: each new one would go to whoever waits behind the flood. */
async function closeOff(admin: ApiClient, level: string): Promise<void> {
  const limited = { lendablePercent: 0, borrowingLimitPercent: 0 };
  const metadata = { annotations: { "apf.kubernetes.io/autoupdate-spec": "false" } };
  const { status } = await admin.send("PATCH", `${levelsPath}/${level}`, { metadata, spec: { limited } });
  if (status !== 200) throw new Error(`priority level ${level} was not changed: ${status}`);
  await until(`${level} borrows nothing`, async () => {
    const names = ["lower_limit", "current_limit", "upper_limit"].map((name) => `apiserver_flowcontrol_${name}_seats`);
    const [lowest = 0, ...others] = await Promise.all(names.map((name) => metric(admin, name, level)));
    return lowest > 0 && others.every((seats) => seats === lowest);
  });
}

/** The sum of a metric of a priority level. */
async function metric(admin: ApiClient, name: string, level: string): Promise<number> {
  const { body } = await admin.send("GET", "/metrics");
  const lines = String(body).split("\n");
  const own = lines.filter((line) => line.startsWith(`${name}{`) && line.includes(`priority_level="${level}"`));
  return own.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
}
