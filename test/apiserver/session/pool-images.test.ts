import { afterEach, beforeEach, expect, it } from "vitest";
import type { Session } from "../../../src/api/v1alpha1/index.ts";
import { architectureLabel } from "../../../src/controllers/sandbox/images/choose.ts";
import { testCluster } from "../../support/cluster.ts";
import { ImageUnderTest, startImageController } from "../image/controller-world.ts";
import { PoolKit, uidOf } from "./pool-kit.ts";
import { World } from "./world.ts";

let world: World;
let kit: PoolKit;
beforeEach(async () => {
  world = await World.make(testCluster().kubeconfig);
  await world.allowRunner([{ resources: ["repositories"], verbs: ["get"] }]);
  kit = new PoolKit(world);
});
afterEach(() => world.close());

/** An image for the architecture amd64, and a class whose sandboxes are placed so. */
async function builtFor(nodeSelector: Record<string, string> | undefined): Promise<void> {
  await kit.changeClass({ maxWarmSandboxes: 1, nodeSelector });
  const controller = await startImageController(world);
  const image = new ImageUnderTest(world);
  await image.create();
  await image.build(1);
  await controller.stop();
}

async function startSession(): Promise<Session> {
  const target = { repositoryRefs: [{ name: "web" }] };
  const session = await world.createSession("s-0", { serviceAccountName: "runner", target });
  await world.createPrompt(session, 1);
  return session;
}

it("a session takes a sandbox that waits and begins with the image where the class is bound to its architecture", async () => {
  await builtFor({ [architectureLabel]: "amd64" });
  await world.startOperator({}, { hasPools: true, hasImages: true });
  await kit.create(1);
  const [warm] = await kit.fill(1);
  const session = await startSession();
  const { status } = await world.untilSession("s-0", "recorded", ({ sandbox }) => sandbox?.podUID !== undefined);
  expect(status).toMatchObject({
    sandbox: { podUID: uidOf(warm!), pool: "warm" },
    prebuiltImage: { name: "web", reason: "Used", build: 1 },
  });
  expect((await world.bundle(session, 1)).image).toMatchObject({ build: 1 });
});

it("a session starts a sandbox on the image's architecture where the class is bound to none, and the other waits on", async () => {
  await builtFor(undefined);
  const { poolAnswers } = await world.startOperator({}, { hasPools: true, hasImages: true });
  await kit.create(1);
  const [warm] = await kit.fill(1);
  await startSession();
  const own = await kit.untilOwnPod(1);
  expect(own.spec?.nodeSelector).toMatchObject({ [architectureLabel]: "amd64" });
  await world.reportRunning(own.metadata.name!);
  const { status } = await world.untilSession("s-0", "recorded", ({ sandbox }) => sandbox?.podUID !== undefined);
  expect(status?.prebuiltImage).toMatchObject({ reason: "Used", build: 1 });
  expect(status?.sandbox).not.toHaveProperty("pool");
  expect((await kit.fill(1)).map(uidOf)).toEqual([uidOf(warm!)]);
  // The pool is not empty: it is of no use here.
  expect(poolAnswers).toEqual([]);
});
