import { afterEach, beforeEach, expect, it } from "vitest";
import { PrebuiltImage, secretsMacDataKey, secretsMacSecretName } from "../../../src/api/v1alpha1/index.ts";
import { nextSlotMs } from "../../../src/controllers/image/decide/slots.ts";
import { imageFingerprint } from "../../../src/controllers/sandbox/images/fingerprint.ts";
import { secretsMac } from "../../../src/controllers/sandbox/images/secrets-mac.ts";
import { secrets } from "../../../src/kube/core-resources.ts";
import { testCluster } from "../../support/cluster.ts";
import { World } from "../session/world.ts";
import { type ImageControllerAtWork, ImageUnderTest, startImageController } from "./controller-world.ts";

let world: World;
let controller: ImageControllerAtWork | undefined;
beforeEach(async () => {
  world = await World.make(testCluster().kubeconfig);
  await world.allowRunner([{ resources: ["repositories"], verbs: ["get"] }]);
});
afterEach(async () => {
  await controller?.stop();
  await world.close();
});

const key = Buffer.alloc(32, 7);

/** An image that was built before the controller began. */
async function aServingImage(name: string): Promise<PrebuiltImage> {
  const { client, clock } = world;
  const image = new ImageUnderTest(world, name);
  const { metadata, spec } = await image.create();
  const time = clock.now().toISOString();
  const status = {
    scope: `Repository/${name}`,
    image: {
      build: 1,
      archive: "a1",
      digest: `sha256:${"d".repeat(64)}`,
      bytes: 5,
      fingerprint: imageFingerprint(metadata.uid ?? "", [{ name, ...spec }]).fingerprint,
      commits: [{ repository: name, commit: "a".repeat(40) }],
      runtimeVersion: 1,
      classImage: "sandbox:1",
      architecture: "amd64",
      secretsMAC: secretsMac(key, {}),
      time,
    },
  };
  const stored = await image.read();
  const nextCheckTime = new Date(nextSlotMs(stored.metadata.uid ?? "", clock.now().getTime())).toISOString();
  return client.patchStatus(PrebuiltImage, stored, { ...status, nextCheckTime });
}

it("200 images that serve settle with a write each, and then cause no writes but those of their checks", async () => {
  const data = { [secretsMacDataKey]: key.toString("base64") };
  const metadata = { namespace: world.sessionsNamespace, name: secretsMacSecretName };
  await world.client.create(secrets, { metadata, data });
  const names = Array.from({ length: 200 }, (_, index) => `s-${String(index)}`);
  const images = await Promise.all(names.map(aServingImage));
  controller = await startImageController(world);
  await world.rest(controller, 0);
  expect(controller.writes).toEqual(names.map(() => "patch PrebuiltImage/status"));

  // Another leader finds all as it is, and so does a look at all images of the namespace.
  await controller.stop();
  controller = await startImageController(world);
  await world.createRepository("bystander");
  await world.rest(controller, 0);
  expect(controller.writes).toEqual([]);

  const [first, second] = images.toSorted((one, other) => dueMs(one) - dueMs(other));
  world.clock.advance(dueMs(first) - world.clock.now().getTime() - 1);
  await world.rest(controller, 0);
  expect(controller.writes).toEqual([]);
  world.clock.advance(1);
  await new ImageUnderTest(world, first?.metadata.name).findNothing(1);
  await world.rest(controller, 0);
  expect(dueMs(second)).toBeGreaterThan(world.clock.now().getTime());
  // Beside these, the namespace's policies are made once.
  const ofCheck = controller.writes.filter((write) => write !== "create NetworkPolicy");
  expect(ofCheck.length, ofCheck.join(", ")).toBeLessThanOrEqual(8);
  expect(ofCheck.filter((write) => write === "create Pod")).toHaveLength(1);
});

function dueMs(image: PrebuiltImage | undefined): number {
  return Date.parse(image?.status?.nextCheckTime ?? "");
}
