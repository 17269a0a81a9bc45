import type { AnswerFacts } from "../../../src/ingress/answer-facts.ts";
import { permissions } from "../../../src/ingress/permissions.ts";
import { startIngress, type Ingress } from "../../../src/ingress/start-ingress.ts";
import { KubeClient } from "../../../src/kube/client.ts";
import { HttpTransport } from "../../../src/kube/http-transport.ts";
import type { PermissionScope } from "../../../src/lib/permissions.ts";
import { startDeliveryStore, type DeliveryStore } from "../../../src/ingress/cluster/delivery-store.ts";
import { type Rule, serviceAccountUser, untilAllowed } from "../../support/authorized.ts";
import { makeNamespace, testApi, testCluster } from "../../support/cluster.ts";
import { startFaultProxy, type FaultProxy } from "../../support/fault-proxy.ts";
import { MovableClock } from "../../support/movable-clock.ts";
import { systemRandom } from "../../../src/lib/random.ts";

/** The account under which an ingress runs, as the admission policies know it. */
const account = { namespace: "runwright-system", name: "runwright-ingress" };
export const ingressUser = serviceAccountUser(account.namespace, account.name);
const rbac = "/apis/rbac.authorization.k8s.io/v1";

/**
 * One ingress with a way of its own to the API server, in which faults can be put. Its time stands still but for what a
 * test moves: on a busy machine each of its limits, of which most are below 3 s, would end once in a while.
 */
export interface Replica {
  url: string;
  proxy: FaultProxy;
  clock: MovableClock;
  ingress: Ingress;
  store: DeliveryStore;
  answers: AnswerFacts[];
  /** Makes every read that was done until now too old to be used. */
  forget(): void;
  /** Ends it as the process does that is asked to. */
  end(): Promise<void>;
  close(): Promise<void>;
}

/** Namespaces and replicas of one test file. */
export interface World {
  namespace: string;
  keysNamespace: string;
  replicas: Replica[];
  /** The only replica, or the first. */
  replica: Replica;
  close(): Promise<void>;
}

/** Namespaces that exist already, for worlds that have more in them than ingresses. */
export interface Places {
  namespace: string;
  keysNamespace: string;
}

/** Starts replicas that have just the rights which the ingress declares, on the tests' API server. */
export async function startWorld(replicaCount = 1, places?: Places): Promise<World> {
  const namespace = places?.namespace ?? (await makeNamespace("tenant"));
  const keysNamespace = places?.keysNamespace ?? (await makeNamespace("keys"));
  const token = await grantAccess(keysNamespace);
  const replicas = await Promise.all(Array.from({ length: replicaCount }, () => startReplica(keysNamespace, token)));
  const [replica] = replicas;
  return {
    namespace,
    keysNamespace,
    replicas,
    replica: replica!,
    async close() {
      await Promise.all(replicas.map((one) => one.close()));
    },
  };
}

/** A token of the ingress's account, which may do what `permissions` says and nothing else. */
export async function grantAccess(keysNamespace: string): Promise<string> {
  const api = testApi();
  const metadata = { name: account.name };
  const subjects = [{ kind: "ServiceAccount", ...account }];
  const roleRef = (kind: string): object => ({ apiGroup: "rbac.authorization.k8s.io", kind, name: account.name });
  const group = "rbac.authorization.k8s.io/v1";
  await api.apply(`/api/v1/namespaces/${account.namespace}`, {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: account.namespace },
  });
  await api.apply(`/api/v1/namespaces/${account.namespace}/serviceaccounts/${account.name}`, {
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata,
  });
  await api.apply(`${rbac}/clusterroles/${account.name}`, {
    apiVersion: group,
    kind: "ClusterRole",
    metadata,
    rules: rulesOf("cluster", "tenants"),
  });
  await api.apply(`${rbac}/clusterrolebindings/${account.name}`, {
    apiVersion: group,
    kind: "ClusterRoleBinding",
    metadata,
    subjects,
    roleRef: roleRef("ClusterRole"),
  });
  const inKeys = `${rbac}/namespaces/${keysNamespace}`;
  await api.apply(`${inKeys}/roles/${account.name}`, {
    apiVersion: group,
    kind: "Role",
    metadata,
    rules: rulesOf("keys"),
  });
  await api.apply(`${inKeys}/rolebindings/${account.name}`, {
    apiVersion: group,
    kind: "RoleBinding",
    metadata,
    subjects,
    roleRef: roleRef("Role"),
  });
  await untilAllowed(ingressUser, rulesOf("cluster", "tenants"));
  await untilAllowed(ingressUser, rulesOf("keys"), keysNamespace);
  const { status, body } = await api.send(
    "POST",
    `/api/v1/namespaces/${account.namespace}/serviceaccounts/${account.name}/token`,
    {
      apiVersion: "authentication.k8s.io/v1",
      kind: "TokenRequest",
      spec: { expirationSeconds: 3_600 },
    },
  );
  if (status !== 201) throw new Error(`no token: ${status} ${JSON.stringify(body)}`);
  return (body as { status: { token: string } }).status.token;
}

function rulesOf(...scopes: PermissionScope[]): Rule[] {
  return permissions
    .filter(({ scope }) => scopes.includes(scope))
    .map(({ apiGroups, resources, verbs }) => ({ apiGroups, resources, verbs }));
}

async function startReplica(keysNamespace: string, token: string): Promise<Replica> {
  const proxy = await startFaultProxy(testCluster());
  const clock = new MovableClock();
  const credentials = { tls: {}, headers: { authorization: `Bearer ${token}` } };
  const access = { server: proxy.url, credentials: () => Promise.resolve(credentials) };
  const transport = new HttpTransport({ access, clock, size: 36 });
  const client = new KubeClient({ transport, clock, fieldManager: "runwright-ingress" });
  const store = startDeliveryStore({ client, clock, random: systemRandom, keysNamespace });
  const answers: AnswerFacts[] = [];
  const observer = { answered: (facts: AnswerFacts) => void answers.push(facts) };
  const { automations, runs, ledger } = store;
  const ingress = await startIngress({ port: 0, automations, runs, ledger, clock, random: systemRandom, observer });
  await waitFor("the replica is ready", () => ingress.notReadyBecause() === undefined);
  clock.stop();
  let ended: Promise<void> | undefined;
  const end = (): Promise<void> => (ended ??= ingress.close().then(() => store.stop()));
  return {
    url: `http://127.0.0.1:${ingress.port}`,
    proxy,
    clock,
    ingress,
    store,
    answers,
    forget: () => clock.move(1_001),
    end,
    async close() {
      clock.run();
      await end();
      await transport.close();
      await proxy.close();
    },
  };
}

/** Waits until it is so, by default 40 s at most. */
export async function waitFor(what: string, isSo: () => boolean | Promise<boolean>, limitMs = 120_000): Promise<void> {
  const deadline = performance.now() + limitMs;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`not within ${limitMs / 1_000} s: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Freezes the watch that tells a replica which ids exist. */
export async function freezeWatch({ proxy }: Replica): Promise<void> {
  await waitFor("there is a watch to freeze", () => proxy.breakWatches("silence") === 1);
}

/** Writes that a replica sent to the API server, but for those of DeliveryLogs, which come when they come. */
export function writesOf({ proxy }: Replica): string[] {
  return proxy.seen
    .filter(({ isWrite, path }) => isWrite && !path.includes("/deliverylogs"))
    .map(({ method, path }) => `${method} ${path.split("?")[0] ?? ""}`);
}
