import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";

import { Run } from "../../src/api/v1alpha1/index.ts";
import { controllerLeaseName } from "../../src/api/v1alpha1/names.ts";
import { OwnLease } from "../../src/gateway/replicas/own-lease.ts";
import { ReplicaIdentity } from "../../src/gateway/replicas/identity.ts";
import type { KubeClient } from "../../src/kube/client.ts";
import { LeaderElection } from "../../src/kube/leader-election.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { systemRandom } from "../../src/lib/random.ts";
import { createLogger } from "../../src/telemetry/logger.ts";
import { serviceAccountUser } from "../support/authorized.ts";
import { testApi, testCluster } from "../support/cluster.ts";
import { startFaultProxy } from "../support/fault-proxy.ts";
import { clientOf, type Connection, until } from "../support/kube.ts";
import { grantProcess, newRelease, type TestRelease } from "../support/process-accounts.ts";
import { flowOf, type RequestFlow } from "../support/request-flow.ts";
import { type FlowSchema, installFlow } from "./support/lease-flow.ts";
import { renderChart } from "./support/render.ts";

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
  let admin: Connection;
  let release: Required<TestRelease>;
  let own: RequestFlow;
  beforeAll(async () => {
    admin = clientOf({ file: testCluster().kubeconfig });
    release = await newRelease(admin.client);
    const { name, namespace } = release;
    own = await installFlow(testApi(), { name, namespace });
    await until(
      "the schema is in use",
      async () => (await flowFrom("gateway", leaseIn(namespace))).schema === own.schema,
    );
  });
  afterAll(() => admin.close());

  const leaseIn = (namespace: string): string => `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/one`;
  const flowFrom = (process: string, path: string): Promise<RequestFlow> =>
    flowOf(testCluster(), serviceAccountUser(release.namespace, `${release.name}-${process}`), path);

  it("counts Leases of the release for its flow, and for no other account and in no other place", async () => {
    const { namespace, sessionsNamespace } = release;
    expect(await flowFrom("controller", leaseIn(namespace))).toEqual(own);
    const others = [
      await flowFrom("ingress", leaseIn(namespace)),
      await flowFrom("other", leaseIn(namespace)),
      await flowFrom("gateway", leaseIn(sessionsNamespace)),
      await flowFrom("gateway", leaseIn("elsewhere")),
      await flowFrom("gateway", `/api/v1/namespaces/${namespace}/secrets/one`),
      await flowFrom("gateway", `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`),
      await flowOf(testCluster(), serviceAccountUser("shop", `${release.name}-gateway`), leaseIn(namespace)),
      await flowOf(testCluster(), serviceAccountUser("shop", "robot"), leaseIn("shop")),
    ];
    for (const { schema, level } of others) {
      expect(schema).toMatch(/^[0-9a-f-]{36}$/);
      expect([schema, level]).not.toContain(own.schema);
      expect([schema, level]).not.toContain(own.level);
    }
  });

  it("counts what controller and gateway send to renew for the release's flow, and all else of theirs elsewhere", async () => {
    const { namespace, name } = release;
    const proxy = await startFaultProxy(testCluster());
    onTestFinished(() => proxy.close());
    const clientFor = async (process: "controller" | "gateway"): Promise<KubeClient> => {
      const user = await grantProcess(admin.client, process, release);
      const connection = clientOf({ text: proxy.kubeconfig(user) }, `runwright-${process}`);
      onTestFinished(() => connection.close());
      return connection.client;
    };
    const stop = new AbortController();
    onTestFinished(() => stop.abort());

    const controller = await clientFor("controller");
    const election = new LeaderElection(
      { client: controller, clock: systemClock, random: systemRandom },
      { namespace, name: controllerLeaseName(name), identity: "one", retryPeriodMs: 500 },
    );
    expect(await election.campaign(stop.signal)).toBe(true);
    await until("it has renewed", () => proxy.seen.some(({ method, status }) => method === "PUT" && status === 200));
    await election.release();

    const ownLease = new OwnLease({
      client: await clientFor("gateway"),
      clock: systemClock,
      logger: createLogger({ process: "gateway", level: "fatal" }, { write: () => undefined }),
      release: { name, namespace },
      podName: "gateway-one",
      identity: new ReplicaIdentity("gateway-one", systemRandom),
      waitingPods: () => [],
      beforeRenewal: () => Promise.resolve(),
      lapsed: () => undefined,
    });
    const kept = ownLease.keep(undefined, stop.signal);
    await until("the replica vouches", () => ownLease.isLive);
    stop.abort();
    await kept;
    await controller.list(Run, { namespace });

    const [renewals, others] = [true, false].map((isLease) => {
      return proxy.seen.filter(({ path }) => path.includes(`/namespaces/${namespace}/leases`) === isLease);
    });
    expect([...new Set(renewals!.map(({ method }) => method))].sort()).toEqual(["GET", "PATCH", "POST", "PUT"]);
    expect(renewals!.filter(({ flow }) => flow?.schema !== own.schema || flow.level !== own.level)).toEqual([]);
    expect(others!.map(({ method }) => method)).toEqual(["GET"]);
    expect(others!.filter(({ flow }) => flow?.schema === own.schema || flow?.level === own.level)).toEqual([]);
  });
});
