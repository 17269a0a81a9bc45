import { afterEach, beforeEach, expect, it } from "vitest";
import { type PrebuiltImage, SandboxClass } from "../../../src/api/v1alpha1/index.ts";
import { networkPolicies } from "../../../src/kube/core-resources.ts";
import { testCluster } from "../../support/cluster.ts";
import { conditionOf, World } from "../session/world.ts";
import { type ImageControllerAtWork, ImageUnderTest, startImageController } from "./controller-world.ts";

// What goes wrong outside of the controller: each is a condition that names what to change.

let world: World;
let controller: ImageControllerAtWork;
let image: ImageUnderTest;
beforeEach(async () => {
  world = await World.make(testCluster().kubeconfig);
  await world.allowRunner([{ resources: ["repositories"], verbs: ["get"] }]);
  controller = await startImageController(world);
  image = new ImageUnderTest(world);
});
afterEach(async () => {
  await controller.stop();
  await world.close();
});

const minute = 60_000;
const isQueued = ({ conditions }: NonNullable<PrebuiltImage["status"]>): boolean =>
  conditions?.some(({ type, reason }) => type === "Reconciling" && reason === "Queued") ?? false;
const isStalled = ({ conditions }: NonNullable<PrebuiltImage["status"]>): boolean =>
  conditions?.some(({ type }) => type === "Stalled") ?? false;

it("a class that is deleted under a serving image: it serves no more, says so, and serves again with the class", async () => {
  await image.create();
  await image.build(1);
  const { spec } = await world.client.get(SandboxClass, { name: world.namespace });
  await world.client.delete(SandboxClass, { name: world.namespace });
  const stalled = await image.until("it says so", isStalled);
  const message = `SandboxClass ${world.namespace} does not exist. Create it, name another, or make one the default.`;
  for (const type of ["Ready", "Stalled"]) {
    expect(conditionOf(stalled, type)).toMatchObject({ reason: "SandboxClassNotFound", message });
  }
  expect(conditionOf(stalled, "Ready")?.status).toBe("False");
  const written = controller.writes.length;
  world.clock.advance(120 * minute);
  await world.rest(controller, 0);
  expect(controller.writes).toHaveLength(written);
  expect((await image.read()).status?.image?.build).toBe(1);

  await world.client.create(SandboxClass, { metadata: { name: world.namespace }, spec });
  const again = await image.until("it serves", (status) => !isStalled(status));
  expect(conditionOf(again, "Ready")).toMatchObject({ status: "True", reason: "Built" });
});

it("another's NetworkPolicy that selects the pod of a build: it is named, until a build that it does not select", async () => {
  const { client, namespace } = world;
  const spec = { podSelector: {}, policyTypes: ["Egress"], egress: [{}] };
  await client.create(networkPolicies, { metadata: { name: "open", namespace }, spec });
  await image.create();
  expect(conditionOf(await image.begun(1), "ForeignNetworkPolicy")).toMatchObject({
    status: "True",
    reason: "ForeignNetworkPolicy",
    message: "the sandbox is also selected by NetworkPolicy open",
  });
  expect(conditionOf(await image.build(1), "ForeignNetworkPolicy")).toMatchObject({ status: "True" });
  await client.delete(networkPolicies, { namespace, name: "open" });
  await image.request("again");
  expect(conditionOf(await image.begun(2), "ForeignNetworkPolicy")).toBeUndefined();
});

it("a class that is deleted during a build: the build ends, and another follows with the class", async () => {
  await image.create();
  await image.boot(1);
  const { spec } = await world.client.get(SandboxClass, { name: world.namespace });
  await world.client.delete(SandboxClass, { name: world.namespace });
  const stalled = await image.until("it says so", (status) => isStalled(status) && status.build === undefined);
  expect(conditionOf(stalled, "Ready")).toMatchObject({ status: "False", reason: "SandboxClassNotFound" });
  await world.until("its pod is deleted", async () => (await world.pods()).length === 0, 0);
  await world.client.create(SandboxClass, { metadata: { name: world.namespace }, spec });
  await image.build(2);
});

it("a setup.sh that fills the disk: the failure has the kubelet's words", async () => {
  await image.create();
  await image.boot(1);
  const pod = await image.pod(1);
  const message = 'Usage of EmptyDir volume "workspace" exceeds the limit "10Gi".';
  await world.reportPod(pod?.metadata.name ?? "", { phase: "Failed", reason: "Evicted", message });
  const failed = await image.until("it has failed", ({ failures }) => failures !== undefined);
  expect(conditionOf(failed, "BuildFailed")).toMatchObject({ status: "True", reason: "OutOfStorage" });
  expect(conditionOf(failed, "BuildFailed")?.message).toContain(
    `Evicted: ${message} It is the class's workspaceSizeLimit: write less, or raise it`,
  );
});

it("an archive that finds no room: the failure says so, and nothing is tried again before its time", async () => {
  await image.create();
  await image.boot(1);
  await image.note(1, { built: {} });
  await image.until("it is being stored", ({ build }) => build?.step === "Saving");
  const problem = "namespace shop has used 5 GiB of 5 GiB: delete Sessions";
  await image.note(1, { snapshot: { problem, goesOn: true } });
  await world.rest(controller, 0);
  // The gateway goes on with it by itself.
  expect((await image.read()).status?.build?.step).toBe("Saving");
  await image.note(1, { snapshot: { problem } });
  const failed = await image.until("it has failed", ({ failures }) => failures !== undefined);
  expect(failed.status?.failures).toMatchObject({
    reason: "ImageNotStored",
    message: `the image was not stored: ${problem}`,
    commits: [{ repository: "web" }],
  });
  expect(conditionOf(failed, "BuildFailed")?.message).toMatch(/\. See the message; check the blob store/);
  expect(controller.writes.filter((write) => write === "create Pod")).toHaveLength(1);
});

it.each([
  { name: "600 s", lifetimeMs: 600_000, isBuilt: false },
  { name: "600 s and a second", lifetimeMs: 601_000, isBuilt: true },
])("a class whose sandboxes live for $name", async ({ lifetimeMs, isBuilt }) => {
  const spec = { sandboxTimeoutMs: lifetimeMs, maxSandboxTimeoutMs: lifetimeMs };
  await world.client.patch(SandboxClass, { name: world.namespace }, { spec });
  await image.create();
  if (isBuilt) {
    expect((await image.begun(1)).status?.build?.timeoutSeconds).toBe(1);
    return;
  }
  const stalled = await image.until("it says so", isStalled);
  expect(conditionOf(stalled, "Stalled")).toMatchObject({
    reason: "LifetimeTooShort",
    message: `SandboxClass ${world.namespace} lets its sandboxes live for at most 600 s, which storing an image takes. Raise maxSandboxTimeoutMs of the SandboxClass above 600,000.`,
  });
});

it("five images at once: four are built, and the fifth begins when one of them has ended", async () => {
  for (const one of [image, ...["two", "three", "four"].map((name) => new ImageUnderTest(world, name))]) {
    await one.create();
    await one.begun(1);
  }
  const fifth = new ImageUnderTest(world, "five");
  await fifth.create();
  const waiting = await fifth.until("it waits", isQueued);
  expect(conditionOf(waiting, "Reconciling")?.message).toBe(
    "4 images are being built, which is as many as may be at once: namespaces take turns, and this one begins when one of them has ended",
  );
  await image.build(1);
  await fifth.build(1);
});

it("sessions that wait for the class all the time: the image has the next place after 30 minutes, not earlier", async () => {
  const { classPlaces } = controller;
  const session = (name: string): string =>
    classPlaces.take({
      className: world.namespace,
      maxSandboxes: 2,
      podKey: `other/${name}`,
      waiterKey: `other/${name}`,
      isChild: false,
      since: "2026-01-01T00:00:00Z",
    });
  await world.client.patch(SandboxClass, { name: world.namespace }, { spec: { maxSandboxes: 2 } });
  session("at-work");
  session("waiting");
  await image.create();
  const waiting = await image.until("it waits", isQueued);
  expect(conditionOf(waiting, "Reconciling")?.message).toContain("has no place that sessions do not need");
  // It asks again each 30 s, and at the latest 30 s after its time.
  world.clock.advance(29 * minute);
  await world.rest(controller, 0);
  classPlaces.settled("other/at-work");
  classPlaces.freed(world.namespace);
  expect(session("waiting")).toBe("taken");
  session("late");
  world.clock.advance(minute);
  await world.rest(controller, 0);
  classPlaces.settled("other/waiting");
  classPlaces.freed(world.namespace);
  expect(session("late")).toBe("classIsFull");
  await image.begun(1);
});
