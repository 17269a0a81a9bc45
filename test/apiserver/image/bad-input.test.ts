import { rename } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Repository } from "../../../src/api/v1alpha1/index.ts";
import { conditionOf } from "../../support/tenant-world.ts";
import { ImageWorld } from "./world.ts";

// What people who write setup.sh, and code hosts, do to builds. Budgets are small, so that they are met.

const budgetBytes = 4 * 1_048_576;
let world: ImageWorld;
beforeAll(async () => {
  world = await ImageWorld.make({ RUNWRIGHT_BLOB_BUDGET_NAMESPACE: String(budgetBytes) });
});
afterAll(() => world.close());

/** An image of a Repository with this setup.sh, once its first build has ended. */
async function anImage(name: string, setup: string, spec: Partial<Repository["spec"]> = {}) {
  await world.createRepository(name, { ".runwright/setup.sh": setup, ".runwright/show.sh": "cat ../done.txt" }, spec);
  await world.createImage(name, { repositoryRef: { name } });
  return world.untilImage(name, "has ended a build", ({ status }) => status?.builds !== undefined && !status.build);
}

it("a setup.sh that prints 1 GiB is built all the same", async () => {
  const flood = "yes 0123456789012345678901234567890 | head -c 1073741824; echo done > ../done.txt";
  const { status } = await anImage("loud", flood, { settings: { buildTimeoutSeconds: 240 } });
  expect(status?.builds).toMatchObject([{ number: 1, result: "Ready" }]);
  const { text } = await world.runSession("listens", { repositoryRefs: [{ name: "loud" }] });
  expect(text).toBe("done");
});

it("a setup.sh that meets a full disk fails, and the condition has what it said and what to change", async () => {
  const image = await anImage("full", "dd if=/dev/zero of=/dev/full bs=4096 count=1 status=none");
  const condition = conditionOf(image, "BuildFailed");
  expect(condition).toMatchObject({ status: "True", reason: "SetupFailed" });
  expect(condition?.message).toContain("setup.sh of repository full exited with status 1");
  expect(condition?.message).toContain("No space left on device");
  expect(condition?.message).toContain("Fix .runwright/setup.sh in the repository");
});

it("an archive beyond the namespace's budget is not stored, and an image that fits is", async () => {
  const setup = (bytes: number): string => `head -c ${bytes} /dev/urandom > ../large.bin; echo done > ../done.txt`;
  const image = await anImage("large", setup(budgetBytes));
  const condition = conditionOf(image, "BuildFailed");
  expect(condition).toMatchObject({ status: "True", reason: "ImageNotStored" });
  expect(condition?.message).toContain(`namespace ${world.namespace} has used`);
  expect(condition?.message).toContain("gateway.blobStore.budgets.namespace");
  expect((await anImage("small", setup(1_000))).status?.image?.bytes).toBeGreaterThan(1_000);
});

it("a repository that never was there: the condition names it and what to check", async () => {
  const url = `${world.git.url}/absent.git`;
  const image = await anImage("nowhere", "true", { url });
  const condition = conditionOf(image, "BuildFailed");
  expect(condition).toMatchObject({ status: "True", reason: "CloneFailed" });
  expect(condition?.message).toContain("absent");
  expect(condition?.message).toContain("Check URL, branch, credential and certificate authority of the Repository");
});

it("a repository that is gone from its host: the image serves on, as no branch is known to have moved", async () => {
  const { status } = await anImage("moved", "echo done > ../done.txt");
  const path = join(world.git.root, "moved.git");
  await rename(path, `${path}.away`);
  await world.look("moved");
  const checked = await world.untilImage("moved", "was checked", (one) => {
    return one.status?.sandbox?.attempt === 2 && !one.status.build;
  });
  expect(checked.status?.image).toEqual(status?.image);
  expect(conditionOf(checked, "Ready")).toMatchObject({ status: "True", reason: "Built" });
  const { session, text } = await world.runSession("offline", { repositoryRefs: [{ name: "moved" }] });
  expect(session.status?.prebuiltImage).toMatchObject({ reason: "Used" });
  expect(text).toBe("done");
});
