import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { globalSecretName, labels, SandboxClass, scopeLabels, type Session } from "../../../src/api/v1alpha1/index.ts";
import { type Pod, pods, secrets } from "../../../src/kube/core-resources.ts";
import { testApi, testCluster } from "../../support/cluster.ts";
import type { Trouble } from "../../support/trouble.ts";
import { conditionOf, type Operator, World } from "./world.ts";

let world: World;
beforeEach(async () => {
  world = await World.make(testCluster().kubeconfig);
});
afterEach(() => world.close());

/** Two policies of the namespace, then the seven of a session. */
const writes = 9;
const each = Array.from({ length: writes }, (_, index) => index + 1);

function isOver({ sandbox, queue, currentPrompt }: NonNullable<Session["status"]>): boolean {
  return sandbox?.endTime !== undefined && queue === undefined && currentPrompt === undefined;
}

/** Plays kubelet and gateway by what is there, and starts a successor when the operator died. */
async function tell(trouble: Trouble): Promise<{ operator: Operator; restarts: number; session: Session }> {
  let operator = await world.startOperator(trouble);
  const { metadata } = await world.createRun("fix-run");
  const session = await world.createSession("fix", {}, metadata);
  await world.createPrompt(session, 1);
  let restarts = 0;
  const told = new Set<string>();
  const once = async (what: string, tellIt: () => Promise<unknown>): Promise<void> => {
    if (told.has(what)) return;
    told.add(what);
    await tellIt();
  };
  await world.until("the story is over", async () => {
    if (operator.work.reconciles.includes("session stopped")) {
      await operator.stop();
      operator = await world.startOperator();
      restarts += 1;
    }
    for (const { metadata, status } of await world.pods()) {
      if (status?.phase !== "Running") await once(metadata.name!, () => world.reportRunning(metadata.name!));
    }
    const { status = {} } = await world.session("fix");
    const { sandbox, currentPrompt } = status;
    if (sandbox) {
      await once(`connect ${sandbox.attempt}`, () => world.connect(session, sandbox.attempt));
      await once(`ready ${sandbox.attempt}`, () => world.reportReady(session, sandbox.attempt));
    }
    if (currentPrompt) await once("result", () => world.settlePrompt(currentPrompt.name, true, "Completed"));
    return isOver(status) && (await world.pods()).length === 0 && (await world.bundles()).length === 0;
  });
  await world.rest(operator);
  return { operator, restarts, session: await world.session("fix") };
}

function expectEnd(session: Session): void {
  expect(session.status).toMatchObject({ sandbox: { attempt: 1, endReason: "Stopped" }, promptsEnded: 1 });
  expect(conditionOf(session, "Ready")).toMatchObject({ status: "True", reason: "Stopped" });
  expect(session.status?.conditions).toHaveLength(1);
}

describe("a session whose prompt completes", () => {
  it("costs a known number of writes, and none once it is settled", async () => {
    const { operator, session } = await tell({});
    expectEnd(session);
    expect(operator.writes).toHaveLength(writes);
    await operator.stop();
    const second = await world.startOperator();
    await world.rest(second, 60_000);
    expect(second.writes).toEqual([]);
    expect((await world.session("fix")).metadata.resourceVersion).toBe(session.metadata.resourceVersion);
  });

  it.each(each)("ends the same when the process is killed before write %i", async (diesAt) => {
    const { restarts, session } = await tell({ diesAt });
    expectEnd(session);
    expect(restarts).toBe(1);
  });

  it.each(each)("ends the same when the process is killed after write %i", async (diesAfter) => {
    const { session } = await tell({ diesAfter });
    expectEnd(session);
  });

  it.each(each)("ends the same when write %i fails once", async (failsAt) => {
    const { restarts, session } = await tell({ failsAt });
    expectEnd(session);
    expect(restarts).toBe(0);
  });
});

describe("a bundle that a start left behind before its pod was created", () => {
  // Of the successor's writes the first meets the bundle that is there, the next two replace it.
  it.each<Trouble>([{}, { failsAt: 1 }, { failsAt: 2 }, { failsAt: 3 }, { diesAfter: 2 }])(
    "is replaced when secrets have changed meanwhile, also with %o",
    async (trouble) => {
      const key = { namespace: world.namespace, name: globalSecretName };
      const metadata = { ...key, labels: scopeLabels("global", globalSecretName) };
      await world.client.create(secrets, { metadata, stringData: { TOKEN: "old" } });
      const first = await world.startOperator({ diesAt: 4 });
      const run = await world.createRun("fix-run");
      const session = await world.createSession("fix", {}, run.metadata);
      await world.createPrompt(session, 1);
      await world.until("the operator died", () => first.work.reconciles.includes("session stopped"));
      await first.stop();
      expect(await world.bundle(session, 1)).toMatchObject({ environment: { TOKEN: "old" } });
      await world.client.patch(secrets, key, { stringData: { TOKEN: "new" } });

      let operator = await world.startOperator(trouble);
      await world.until("there is a pod", async () => {
        if (operator.work.reconciles.includes("session stopped")) {
          await operator.stop();
          operator = await world.startOperator();
        }
        return (await world.pods()).length > 0;
      });
      expect(await world.bundle(session, 1)).toMatchObject({ environment: { TOKEN: "new" } });
    },
  );
});

/** A quota of one pod in the namespace, of which so many are used. */
async function useQuota(used: string): Promise<void> {
  const quota = `/api/v1/namespaces/${world.namespace}/resourcequotas/pods`;
  const spec = { hard: { pods: "1" } };
  await testApi().apply(quota, { apiVersion: "v1", kind: "ResourceQuota", metadata: { name: "pods" }, spec });
  // There is no quota controller to fill in what is used.
  await testApi().send("PATCH", `${quota}/status`, { status: { ...spec, used: { pods: used } } });
}

it("waits for room under a namespace's quota of pods, and then starts with the secrets of that time", async () => {
  const key = { namespace: world.namespace, name: globalSecretName };
  const metadata = { ...key, labels: scopeLabels("global", globalSecretName) };
  await world.client.create(secrets, { metadata, stringData: { TOKEN: "old" } });
  await useQuota("1");
  await world.startOperator();
  const session = await world.createSession("fix");
  await world.createPrompt(session, 1);
  await world.until("the session is queued", async () => {
    const ready = conditionOf(await world.session("fix"), "Ready");
    return ready?.reason === "Queued" && ready.message.includes("exceeded quota: pods");
  });
  expect(await world.bundle(session, 1)).toMatchObject({ environment: { TOKEN: "old" } });

  await world.client.patch(secrets, key, { stringData: { TOKEN: "new" } });
  await useQuota("0");
  await world.untilSession("fix", "recorded", ({ sandbox }) => sandbox !== undefined);
  expect(await world.bundle(session, 1)).toMatchObject({ environment: { TOKEN: "new" } });
});

/** The pod, which runs, of an operator that died before it could record it. */
async function unrecordedPod(): Promise<Pod> {
  // Policies, bundle and pod are made; the record is the fifth write.
  const operator = await world.startOperator({ diesAt: 5 });
  const { metadata } = await world.createRun("fix-run");
  const session = await world.createSession("fix", {}, metadata);
  await world.createPrompt(session, 1);
  const pod = await world.untilPod(1);
  await world.reportRunning(pod.metadata.name!);
  await world.until("the operator died", () => operator.work.reconciles.includes("session stopped"));
  await operator.stop();
  return pod;
}

const plainClass = {};
/** Its pod has all that a class can add to one. */
const richClass = {
  workspaceVolume: { volumeSnapshotClassName: "fast" },
  imagePullSecrets: ["registry"],
  nodeSelector: { pool: "sandboxes" },
  tolerations: [{ key: "sandboxes", operator: "Exists" }],
  topologySpreadConstraints: [{ maxSkew: 1, topologyKey: "zone", whenUnsatisfiable: "ScheduleAnyway" }],
  egress: { dns: false },
  hostAliases: [{ ip: "10.1.2.3", hostnames: ["git.example.com"] }],
  env: [{ name: "A", value: "1" }],
  volumes: [
    { name: "empty", mountPath: "/cache/empty", emptyDir: { sizeLimit: "1Gi" } },
    { name: "config", mountPath: "/cache/config", configMap: { name: "a" } },
    { name: "claim", mountPath: "/cache/claim", persistentVolumeClaim: { claimName: "a" } },
    { name: "own", mountPath: "/cache/own", ephemeral: { size: "1Gi" } },
    { name: "image", mountPath: "/cache/image", access: "ReadOnly", image: { reference: "data:1" } },
  ],
};

it.each([
  ["a plain class", plainClass],
  ["a class that adds all it can", richClass],
])("adopts at once the running pod of %s that a predecessor could not record", async (_, spec) => {
  await world.client.patch(SandboxClass, { name: world.namespace }, { spec });
  const pod = await unrecordedPod();
  const second = await world.startOperator();
  // Time stands still.
  const recorded = await world.untilSession("fix", "recorded", ({ sandbox }) => sandbox !== undefined, 0);
  const containerStartTime = expect.any(String) as unknown;
  expect(recorded.status?.sandbox).toMatchObject({ attempt: 1, podUID: pod.metadata.uid, containerStartTime });
  expect(second.writes).not.toContain("create NetworkPolicy");
  expect(await world.pods()).toHaveLength(1);
});

it("adopts the pod that a predecessor could not record where that pod fills the namespace's quota", async () => {
  const pod = await unrecordedPod();
  await useQuota("1");
  const other: Pod = { ...pod, metadata: { namespace: world.namespace, name: "other" } };
  await world.until("the API server knows the quota", async () => {
    const refused = await world.client.create(pods, other, { dryRun: true }).catch((error: unknown) => error);
    return refused instanceof Error && refused.message.includes("exceeded quota: pods");
  });
  await world.startOperator();
  const { status } = await world.untilSession("fix", "recorded", ({ sandbox }) => sandbox !== undefined);
  expect(status?.sandbox).toMatchObject({ attempt: 1, podUID: pod.metadata.uid });
});

describe("a pod of the session's, and of the expected name, that is not as it would be made", () => {
  /** Puts it in the place of the one that a predecessor made. */
  async function forgedPod(): Promise<Pod> {
    const { metadata, spec } = await unrecordedPod();
    const { name, namespace, labels: own, annotations, ownerReferences } = metadata;
    await world.client.delete(pods, { namespace, name: name! });
    const containers = spec!.containers.map((container) => ({ ...container, image: "forged:1" }));
    const forged = { metadata: { name, namespace, labels: own, annotations, ownerReferences } };
    return world.client.create(pods, { ...forged, spec: { ...spec!, containers } });
  }

  // Of the successor's writes the first meets the bundle, the second the pod, the next two replace it.
  it.each<Trouble>([{}, { failsAt: 2 }, { failsAt: 3 }, { failsAt: 4 }])(
    "is replaced, also with %o",
    async (trouble) => {
      const forged = await forgedPod();
      const operator = await world.startOperator(trouble);
      const { status } = await world.untilSession("fix", "recorded", ({ sandbox }) => sandbox !== undefined);
      const [pod, ...others] = await world.pods();
      expect(others).toEqual([]);
      expect(pod!.metadata.uid).not.toBe(forged.metadata.uid);
      expect(pod!.spec!.containers.map(({ image }) => image)).toEqual(["sandbox:1", "sandbox:1"]);
      expect(status?.sandbox).toMatchObject({ attempt: 1, podUID: pod!.metadata.uid });
      if (trouble.failsAt !== 4) {
        const note = expect.stringContaining("with another spec.containers[0].image: it was replaced") as unknown;
        expect(operator.events).toContainEqual(expect.objectContaining({ reason: "SandboxLost", note }));
      }
    },
  );
});

it.each([
  ["cancelled", () => world.cancelPrompt("fix-1")],
  ["deleted", () => world.deletePrompt("fix-1")],
])("deletes the pod that a predecessor could not record when its prompt was %s meanwhile", async (_how, end) => {
  await unrecordedPod();
  expect(await world.bundles()).toHaveLength(1);
  await end();
  await world.startOperator();
  await world.until("the pod is gone", async () => (await world.pods()).length === 0);
  await world.until("the bundle is gone", async () => (await world.bundles()).length === 0);
  expect((await world.session("fix")).status?.sandbox).toBeUndefined();
});

it("leaves a stranger's pod of its name alone and says so", async () => {
  const operator = await world.startOperator({ diesAt: 4 });
  const session = await world.createSession("fix");
  await world.createPrompt(session, 1);
  await world.until("the operator died", () => operator.work.reconciles.includes("session stopped"));
  await operator.stop();
  const name = await world.createStranger(session, 1);
  await world.startOperator();
  await world.until(
    "the prompt failed",
    async () => conditionOf(await world.prompt("fix-1"), "Succeeded") !== undefined,
  );
  expect(conditionOf(await world.prompt("fix-1"), "Succeeded")).toMatchObject({
    status: "False",
    reason: "PodRejected",
  });
  const [pod, ...others] = await world.pods();
  expect(others).toEqual([]);
  expect(pod?.metadata).toMatchObject({ name });
  expect(pod?.metadata.labels?.[labels.sessionUid]).toBeUndefined();
});
