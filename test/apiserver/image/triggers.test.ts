import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Environment, PrebuiltImage, Repository, scopeLabels } from "../../../src/api/v1alpha1/index.ts";
import { secrets } from "../../../src/kube/core-resources.ts";
import { testCluster } from "../../support/cluster.ts";
import { conditionOf, World } from "../session/world.ts";
import { type ImageControllerAtWork, ImageUnderTest, startImageController } from "./controller-world.ts";

// The product's tables of states (4.2), triggers (4.3, 4.6) and changes of secrets (1.11): which builds they make.

let world: World;
let controller: ImageControllerAtWork;
let image: ImageUnderTest;
beforeEach(async () => {
  world = await World.make(testCluster().kubeconfig);
  const rules = [{ resources: ["repositories", "environments"], verbs: ["get"] }];
  await world.allowRunner(rules);
  controller = await startImageController(world);
  image = new ImageUnderTest(world);
});
afterEach(async () => {
  await controller.stop();
  await world.close();
});

const named = (name: string): { namespace: string; name: string } => ({ namespace: world.namespace, name });
const secretOf = { secretRef: { name: "web" } };
const failure = {
  reason: "SetupFailed",
  message: "setup.sh of repository web exited with status 1",
  commits: [{ repository: "web", commit: "b".repeat(40) }],
};

async function createSecret(value: string): Promise<void> {
  const metadata = { ...named("web"), labels: scopeLabels("repository", "web") };
  await world.client.create(secrets, { metadata, data: { TOKEN: base64(value) } });
}

/** Writes the Secret, and something else of it in any case. */
async function writeSecret(value: string): Promise<void> {
  const metadata = { annotations: { touched: "yes" } };
  await world.client.patch(secrets, named("web"), { metadata, data: { TOKEN: base64(value) } });
}

const base64 = (text: string): string => Buffer.from(text).toString("base64");
const suspend = (value: boolean): Promise<unknown> =>
  world.client.patch(PrebuiltImage, named("web"), { spec: { suspend: value } });
const toBranch = (branch: string): Promise<unknown> =>
  world.client.patch(Repository, named("web"), { spec: { branch } });

/** Time goes on to the next check of the branches. */
async function untilCheck(): Promise<void> {
  const { nextCheckTime } = (await image.read()).status ?? {};
  world.clock.advance(Date.parse(nextCheckTime ?? "") - world.clock.now().getTime());
}

/** The number of builds that were begun once the controller has nothing left to do. */
async function begunBuilds(one = image): Promise<number> {
  await world.rest(controller, 0);
  return (await one.read()).status?.sandbox?.attempt ?? 0;
}

describe("triggers (4.3, 4.6)", () => {
  it("rows 1 and 4: a request builds what is up to date, and a second one during the build does not", async () => {
    await image.create();
    await image.build(1);
    await image.request("one");
    expect((await image.begun(2)).status?.build?.reason).toBe("RebuildRequested");
    await image.request("two");
    expect(await begunBuilds()).toBe(2);
    await image.build(2);
    expect(await begunBuilds()).toBe(2);
    expect((await image.read()).status).toMatchObject({ rebuildRequestedAt: "two", image: { build: 2 } });
  });

  it("a request of more characters than the status has room for makes one build", async () => {
    await image.create();
    await image.build(1);
    await image.request("x".repeat(300));
    await image.build(2);
    expect(await begunBuilds()).toBe(2);
    expect((await image.read()).status?.rebuildRequestedAt).toBe("x".repeat(256));
  });

  it("a request that comes during a check of the branches is answered by a build after it", async () => {
    await image.create();
    await image.build(1);
    await untilCheck();
    await image.boot(2);
    await image.request("one");
    await image.note(2, { built: { result: "Unchanged" } });
    expect((await image.begun(3)).status?.build).toMatchObject({ step: "Building", reason: "RebuildRequested" });
    await image.build(3);
    expect(await begunBuilds()).toBe(3);
    expect((await image.read()).status?.rebuildRequestedAt).toBe("one");
  });

  it("a request whose build ends without a result, as it is switched off, is answered once it is on again", async () => {
    await image.create();
    await image.build(1);
    await image.request("one");
    await image.boot(2);
    await suspend(true);
    await image.until("it is over", ({ build }) => build === undefined);
    expect(await begunBuilds()).toBe(2);
    await suspend(false);
    expect((await image.begun(3)).status?.build?.reason).toBe("RebuildRequested");
  });

  it("rows 2 and 3: a Repository and an Environment that contains it are built beside each other", async () => {
    await image.create();
    const repositoryRefs = [{ name: "web" }];
    await world.client.create(Environment, { metadata: named("shop"), spec: { repositoryRefs } });
    const shop = new ImageUnderTest(world, "shop");
    await shop.create({}, { environmentRef: { name: "shop" } });
    await Promise.all([image.begun(1), shop.begun(1)]);
    await image.request("one");
    expect(await begunBuilds(shop)).toBe(1);
    expect((await shop.read()).status?.scope).toBe("Environment/shop");
  });

  it("one at a time of a Repository: its images in two classes take turns", async () => {
    const large = `${world.namespace}-large`;
    await world.createClass(large);
    await world.allowRunner([{ resources: ["sandboxclasses"], verbs: ["use"], resourceNames: [large] }]);
    await image.create();
    await image.begun(1);
    const other = new ImageUnderTest(world, "other");
    const { spec } = await image.read();
    await world.client.create(PrebuiltImage, { metadata: named("other"), spec: { ...spec, sandboxClassName: large } });
    const waitingFor = async (one: ImageUnderTest, name: string): Promise<void> => {
      const message = `PrebuiltImage ${name} of the same Repository/web is being built`;
      const waiting = await one.until(
        "it waits",
        ({ conditions }) => conditions?.some((it) => it.reason === "Queued") ?? false,
      );
      expect(conditionOf(waiting, "Reconciling")?.message).toBe(message);
    };
    await waitingFor(other, "web");
    await image.build(1);
    await other.begun(1);
    await image.request("one");
    await waitingFor(image, "other");
    await other.fail(1, failure);
    await image.build(2);
  });

  it("row 5: none for an object that is saved as it was, or with other settings", async () => {
    await image.create();
    await image.build(1);
    const settings = { buildTimeoutSeconds: 77 };
    await world.client.patch(Repository, named("web"), { metadata: { labels: { team: "a" } }, spec: { settings } });
    expect(await begunBuilds()).toBe(1);
    expect(conditionOf(await image.read(), "Ready")).toMatchObject({ status: "True", reason: "Built" });
  });

  it("one at once for another branch; until it is there, no image serves", async () => {
    await image.create();
    await image.build(1);
    await toBranch("trunk");
    const { status } = await image.begun(2);
    expect(status?.build).toMatchObject({ step: "Building", reason: "MissingImage" });
    expect(conditionOf({ status }, "Ready")).toMatchObject({ status: "False", reason: "Superseded" });
  });

  it("another branch during a build: its result is thrown away, and the next one begins at once", async () => {
    await image.create();
    await image.boot(1);
    await toBranch("trunk");
    await image.note(1, { built: {} });
    await image.until("it is being stored", ({ build }) => build?.step === "Saving");
    await image.note(1, { snapshot: { bytes: 5, archive: "a1", digest: `sha256:${"d".repeat(64)}` } });
    const { status } = await image.begun(2);
    expect(status?.image).toBeUndefined();
    expect(status?.builds).toMatchObject([{ number: 1, result: "Superseded", reason: "RepositoriesChanged" }]);
  });

  it("row 8: none after one that is deleted during its build", async () => {
    await image.create();
    await image.boot(1);
    await world.client.delete(PrebuiltImage, named("web"));
    await world.rest(controller, 0);
    expect(controller.writes.filter((write) => write === "create Pod")).toHaveLength(1);
  });
});

describe("states (4.2)", () => {
  it("switched off during a build: that ends without a result, and none begins until it is on again", async () => {
    await image.create();
    await image.boot(1);
    await suspend(true);
    const off = await image.until("it is over", ({ build }) => build === undefined);
    expect(off.status?.builds).toMatchObject([{ number: 1, result: "Superseded", reason: "Suspended" }]);
    expect(await begunBuilds()).toBe(1);
    await suspend(false);
    await image.build(2);
  });

  it("a failed build leaves the image in service, says so, and is forgotten with the next success", async () => {
    await image.create();
    await image.build(1);
    await image.request("one");
    const failed = await image.fail(2, failure);
    expect(failed.status?.image?.build).toBe(1);
    expect(conditionOf(failed, "Ready")).toMatchObject({ status: "True", reason: "Built" });
    expect(conditionOf(failed, "BuildFailed")?.message).toContain("setup.sh of repository web exited with status 1");
    await image.request("two");
    const built = await image.build(3);
    expect(conditionOf(built, "BuildFailed")).toBeUndefined();
    expect(built.status).toMatchObject({ previous: { build: 1, archive: "a1" } });
    expect(built.status?.builds?.map(({ number, result }) => `${number} ${result}`)).toEqual([
      "3 Ready",
      "2 Failed",
      "1 Ready",
    ]);
  });

  it("the last ten builds are kept", async () => {
    await image.create();
    for (let number = 1; number <= 11; number += 1) {
      await image.build(number);
      await image.request(String(number));
    }
    const { status } = await image.begun(12);
    expect(status?.builds?.map(({ number }) => number)).toEqual([11, 10, 9, 8, 7, 6, 5, 4, 3, 2]);
  });
});

describe("changes of secrets (1.11)", () => {
  beforeEach(async () => {
    await createSecret("first");
    await image.create(secretOf);
    await image.build(1);
  });

  it("a value that is written again unchanged makes none", async () => {
    await writeSecret("first");
    await untilCheck();
    expect((await image.begun(2)).status?.build).toMatchObject({ step: "Checking", reason: "NewCommits" });
    expect((await image.findNothing(2)).status?.image?.build).toBe(1);
  });

  it("another value makes one at the next check, also where the branches are as they were", async () => {
    const before = (await image.read()).status?.image;
    await writeSecret("second");
    await untilCheck();
    expect((await image.begun(2)).status?.build).toMatchObject({ step: "Building", reason: "SecretsChanged" });
    const built = await image.build(2);
    expect(built.status?.image?.secretsMAC).not.toBe(before?.secretsMAC);
  });

  it("row 7 of 4.6: none while it is switched off, and one once it is on again", async () => {
    await suspend(true);
    await writeSecret("second");
    await image.until(
      "it is off",
      ({ conditions }) => conditions?.some(({ reason }) => reason === "Suspended") ?? false,
    );
    await untilCheck();
    expect(await begunBuilds()).toBe(1);
    await suspend(false);
    expect((await image.begun(2)).status?.build?.reason).toBe("SecretsChanged");
  });
});
