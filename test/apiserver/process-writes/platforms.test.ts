import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";

import { SandboxClass } from "../../../src/api/v1alpha1/index.ts";
import { sessionAsOwner } from "../../../src/controllers/sandbox/owner.ts";
import { makeSandboxPod } from "../../../src/controllers/sandbox/pod/pod.ts";
import { refusedPod } from "../../../src/controllers/sandbox/pod/refused-pod.ts";
import { startObstacle } from "../../../src/controllers/sandbox/start/obstacle.ts";
import { KubeError } from "../../../src/kube/errors.ts";
import type { Pod } from "../../../src/kube/core-resources.ts";
import { aSession } from "../../support/builders.ts";
import { testApi } from "../../support/cluster.ts";
import { until } from "../../support/kube.ts";

// What the API server itself says of a sandbox in a namespace of a platform team's making, as docs/operate/platforms.md has it.

async function aNamespace(labels: Record<string, string> = {}): Promise<string> {
  const name = `platform-${randomUUID().slice(0, 8)}`;
  await testApi().apply(`/api/v1/namespaces/${name}`, {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name, labels },
  });
  await testApi().apply(`/api/v1/namespaces/${name}/serviceaccounts/runner`, {
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: { name: "runner" },
  });
  return name;
}

function aPod(namespace: string, spec: object = {}): Pod {
  return makeSandboxPod({
    owner: sessionAsOwner(aSession({ metadata: { name: "s", namespace, uid: "u1" } })),
    attempt: 1,
    sandboxClass: { metadata: { name: "standard" }, ...SandboxClass.schema.parse({ spec }) },
    lifetimeMs: 60_000,
    gatewayCa: "PEM",
    environment: { release: { name: "rw", namespace: "system" }, image: "sandbox:1", gatewayUrl: "wss://gateway:8443" },
  });
}

/** The answer to the creation of a pod, of which nothing is stored. */
async function tried(pod: Pod): Promise<{ status: number; message: string }> {
  const path = `/api/v1/namespaces/${pod.metadata.namespace ?? ""}/pods?dryRun=All`;
  const { status, body } = await testApi().send("POST", path, pod);
  return { status, message: (body as { message?: string }).message ?? "" };
}

/** The refusal once the API server has taken notice of what refuses, and what is made of it. */
async function refused(pod: Pod, words: string): Promise<{ kind: string; message: string }> {
  let answer = await tried(pod);
  await until(`the API server says ${words}`, async () => {
    answer = await tried(pod);
    return answer.message.includes(words);
  });
  const error = new KubeError({ ...answer, reason: "", delivery: "received" });
  const found = startObstacle(error, { podName: "s-1" }, { copied: {}, bounded: [] });
  const message = "message" in found ? found.message : "";
  return { kind: found.kind, message: found.kind === "rejected" ? refusedPod(message, pod) : message };
}

function addTo(namespace: string, plural: string, kind: string, spec: object): Promise<void> {
  const path = `/api/v1/namespaces/${namespace}/${plural}/team`;
  return testApi().apply(path, { apiVersion: "v1", kind, metadata: { name: "team" }, spec });
}

async function use(namespace: string, hard: object, used: object): Promise<void> {
  // There is no quota controller to fill in what is used.
  await testApi().send("PATCH", `/api/v1/namespaces/${namespace}/resourcequotas/team/status`, {
    status: { hard, used },
  });
}

it("takes a sandbox where Pod Security enforces its strictest level", async () => {
  const namespace = await aNamespace({ "pod-security.kubernetes.io/enforce": "restricted" });
  expect(await tried(aPod(namespace))).toMatchObject({ status: 201 });
});

it("refuses one there that a mesh has added its init container to, and says what to do", async () => {
  const namespace = await aNamespace({ "pod-security.kubernetes.io/enforce": "restricted" });
  const pod = aPod(namespace);
  const capabilities = { add: ["NET_ADMIN"] };
  const initContainers = [{ name: "istio-init", image: "proxyv2:1", securityContext: { capabilities } }];
  const { kind, message } = await refused({ ...pod, spec: { ...pod.spec!, initContainers } }, "violates PodSecurity");
  expect(kind).toBe("rejected");
  expect(message).toContain("istio-init");
  expect(message).toContain("what a webhook adds");
});

it("refuses one below a LimitRange's least, and names the containers", async () => {
  const namespace = await aNamespace();
  await addTo(namespace, "limitranges", "LimitRange", { limits: [{ type: "Container", min: { memory: "128Mi" } }] });
  const { kind, message } = await refused(aPod(namespace), "minimum memory usage per Container is 128Mi");
  expect(kind).toBe("rejected");
  expect(message).toContain("runtime (requests cpu 50m, memory 96Mi");
  const fitted = aPod(namespace, { runtimeResources: { requests: { memory: "128Mi" } } });
  expect(await tried(fitted)).toMatchObject({ status: 201 });
});

it("has a LimitRange's defaults change nothing", async () => {
  const namespace = await aNamespace();
  const defaults = { default: { cpu: "7", memory: "7Gi" }, defaultRequest: { cpu: "6", memory: "6Gi" } };
  await addTo(namespace, "limitranges", "LimitRange", { limits: [{ type: "Container", ...defaults }] });
  const pod = aPod(namespace);
  const { body } = await testApi().send("POST", `/api/v1/namespaces/${namespace}/pods?dryRun=All`, pod);
  const { spec } = body as Pod;
  expect(spec?.containers.map(({ resources }) => resources)).toEqual(
    pod.spec?.containers.map(({ resources }) => resources),
  );
});

it("waits for a quota that is not counted yet, and for one that is used", async () => {
  const namespace = await aNamespace();
  const hard = { pods: "2", "limits.memory": "4Gi" };
  await addTo(namespace, "resourcequotas", "ResourceQuota", { hard });
  await use(namespace, hard, {});
  expect(await refused(aPod(namespace), "status unknown for quota: team")).toMatchObject({ kind: "full" });
  await use(namespace, hard, { pods: "2", "limits.memory": "0" });
  expect(await refused(aPod(namespace), "exceeded quota: team")).toMatchObject({ kind: "full" });
});

it("does not wait for a quota that one sandbox is too large for", async () => {
  const namespace = await aNamespace();
  const hard = { "limits.memory": "1Gi" };
  await addTo(namespace, "resourcequotas", "ResourceQuota", { hard });
  await use(namespace, hard, { "limits.memory": "0" });
  const { kind, message } = await refused(aPod(namespace), "exceeded quota: team");
  expect(kind).toBe("rejected");
  expect(message).toContain("raise the ResourceQuota");
});

it("has limits of everything that a quota may want them of", async () => {
  const namespace = await aNamespace();
  const names = ["cpu", "memory", "ephemeral-storage"].flatMap((name) => [`requests.${name}`, `limits.${name}`]);
  const hard = Object.fromEntries(names.map((name) => [name, "1Pi"]));
  await addTo(namespace, "resourcequotas", "ResourceQuota", { hard });
  await use(namespace, hard, {});
  await refused(aPod(namespace), "status unknown for quota: team");
  await use(namespace, hard, Object.fromEntries(names.map((name) => [name, "0"])));
  await until("the quota counts", async () => (await tried(aPod(namespace))).status === 201);
});

it("says which class's name is not there", async () => {
  const namespace = await aNamespace();
  const runtimeClass = await refused(
    aPod(namespace, { runtimeClassName: "absent" }),
    'RuntimeClass "absent" not found',
  );
  expect(runtimeClass.kind).toBe("rejected");
  expect(runtimeClass.message).toContain("runtimeClassName in the SandboxClass");
  const priority = await refused(aPod(namespace, { priorityClassName: "absent" }), "no PriorityClass with name absent");
  expect(priority.kind).toBe("rejected");
  expect(priority.message).toContain("priorityClassName in the SandboxClass");
});
