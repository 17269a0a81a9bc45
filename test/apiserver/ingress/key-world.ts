import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { serviceAccountUser, untilAllowed } from "../../support/authorized.ts";
import { runPlugin } from "../../support/cli.ts";
import { testApi, testCluster } from "../../support/cluster.ts";
import { type FaultProxy, startFaultProxy } from "../../support/fault-proxy.ts";
import { gatewayConnection, startTestGateway, type TestGateway } from "../../support/runtime-gateway.ts";
import { makeWorld, type World as Release } from "../../support/runtime-world.ts";
import { startWorld, type World, waitFor } from "./world.ts";

/** The ServiceAccount that may create keys in the tenant's namespace, and nothing else. */
export const keyManager = "key-manager";

/** Ingresses, and a gateway that issues their keys. */
export interface KeyWorld {
  release: Release;
  gateway: TestGateway;
  /** Between the gateway and the API server. */
  proxy: FaultProxy;
  world: World;
  /** What `kubectl runwright …` prints as JSON, with a kubeconfig whose user has a client certificate. */
  runKey(argv: readonly string[], serviceAccount?: string): Promise<unknown>;
  close(): Promise<void>;
}

export async function openKeyWorld(replicas: number): Promise<KeyWorld> {
  const release = await makeWorld();
  const proxy = await startFaultProxy(testCluster());
  const kube = await gatewayConnection(release, proxy);
  const gateway = await startTestGateway(release, kube.client);
  const world = await startWorld(replicas, {
    namespace: release.tenant,
    keysNamespace: release.release.keysNamespace,
  });
  const certificateAuthority = join(release.directory, "gateway-ca.pem");
  await writeFile(certificateAuthority, release.ca);
  await allow(release);
  await waitFor("the gateway is ready", () => gateway.notReadyBecause() === undefined);
  const where = ["--release", release.release.name, "--release-namespace", release.release.namespace];
  const server = ["--server", gateway.peopleUrl, "--certificate-authority", certificateAuthority];
  return {
    release,
    gateway,
    proxy,
    world,
    async runKey(argv, serviceAccount = keyManager) {
      const connection = ["--kubeconfig", testCluster().kubeconfig, "--service-account", serviceAccount];
      const { status, out, err } = await runPlugin([...argv, "-o", "json", ...connection, ...where, ...server]);
      if (status !== 0) throw new Error(err);
      return JSON.parse(out) as unknown;
    },
    async close() {
      await world.close();
      await gateway.close();
      await kube.close();
      await proxy.close();
      await release.close();
    },
  };
}

async function allow({ tenant }: Release): Promise<void> {
  const rbac = `/apis/rbac.authorization.k8s.io/v1/namespaces/${tenant}`;
  const group = "rbac.authorization.k8s.io";
  const common = { apiVersion: `${group}/v1`, metadata: { name: keyManager } };
  const rules = [{ apiGroups: ["runwright.dev"], resources: ["automations/key"], verbs: ["create"] }];
  const subjects = [{ kind: "ServiceAccount", name: keyManager, namespace: tenant }];
  const api = testApi();
  const account = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: keyManager } };
  await api.apply(`/api/v1/namespaces/${tenant}/serviceaccounts/${keyManager}`, account);
  await api.apply(`${rbac}/roles/${keyManager}`, { ...common, kind: "Role", rules });
  const roleRef = { apiGroup: group, kind: "Role", name: keyManager };
  await api.apply(`${rbac}/rolebindings/${keyManager}`, { ...common, kind: "RoleBinding", subjects, roleRef });
  await untilAllowed(serviceAccountUser(tenant, keyManager), rules, tenant);
}
