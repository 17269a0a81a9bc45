import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Bundle } from "../../../src/api/runtime/bundle.ts";
import {
  attemptName,
  bundleDataKey,
  PrebuiltImage,
  SandboxClass,
  scopeLabels,
} from "../../../src/api/v1alpha1/index.ts";
import { slotOffsetMs } from "../../../src/controllers/image/decide/slots.ts";
import { countStale } from "../../../src/controllers/metrics/image-counts.ts";
import { secrets } from "../../../src/kube/core-resources.ts";
import { testCluster } from "../../support/cluster.ts";
import { conditionOf, limits, World } from "../session/world.ts";
import { type ImageControllerAtWork, ImageUnderTest, startImageController } from "./controller-world.ts";

// The clocks of builds, each a millisecond before its instant, at it and a millisecond after it.

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

const second = 1_000;
const minute = 60 * second;

/** Time goes on to this offset from an instant, and the controller comes to rest there. */
async function passTo(instant: string | undefined, offsetMs: number): Promise<void> {
  await world.rest(controller, 0);
  world.clock.advance(Date.parse(instant ?? "") - world.clock.now().getTime() + offsetMs);
  await world.rest(controller, 0);
}

const lifetimes = (ms: number): object => ({ sandboxTimeoutMs: ms, maxSandboxTimeoutMs: ms });
const plus = (time: string | undefined, ms: number): string => new Date(Date.parse(time ?? "") + ms).toISOString();
/** A controller that is awake meets the instant; one that comes a little late acts all the same. */
const ways = [
  { way: "a millisecond before and at its instant", offsets: [-1, 0] },
  { way: "a millisecond after it", offsets: [1] },
];

/** Time goes on to each offset from an instant; nothing may have happened before it, and it has at it or after it. */
async function passes(
  instant: string | undefined,
  offsets: readonly number[],
  happened: () => Promise<boolean>,
): Promise<void> {
  for (const offsetMs of offsets) {
    await passTo(instant, offsetMs);
    if (offsetMs < 0) expect(await happened()).toBe(false);
    else await world.until(`it happens at ${offsetMs} ms`, happened, 0);
  }
}

const isBuilding = async (): Promise<boolean> => (await image.read()).status?.build !== undefined;
const isOver = async (): Promise<boolean> => !(await isBuilding());

interface Clock {
  name: string;
  reason: string;
  message: string;
  /** Brings a build to where the clock runs; gives its instant. */
  begin: () => Promise<string | undefined>;
}

const deadlines: Clock[] = [
  {
    name: "the container starts within the boot budget",
    reason: "BootTimeout",
    message: `the container did not start within ${limits.bootTimeoutMs} ms of the pod's creation`,
    begin: async () => plus((await image.begun(1)).status?.sandbox?.createTime, limits.bootTimeoutMs),
  },
  {
    name: "clone and setup.sh that the runtime does not end have T + 600 s from the container's start",
    reason: "BuildTimeout",
    message: "clone and setup.sh did not end within 60 s",
    begin: async () => {
      await image.begun(1);
      // What came before counts for another clock.
      world.clock.advance(5 * minute);
      await image.run(1);
      await image.connect(1);
      return plus(world.clock.now().toISOString(), 660 * second);
    },
  },
  {
    name: "storing ends at T + 600 s from the container's start",
    reason: "FinalizationTimeout",
    message: "the image was not stored within 660 s of the container's start",
    begin: async () => {
      await image.begun(1);
      await image.run(1);
      const start = world.clock.now().toISOString();
      await world.rest(controller, 0);
      await image.connect(1);
      world.clock.advance(59 * second);
      await image.note(1, { built: {} });
      await image.until("it is being stored", ({ build }) => build?.step === "Saving");
      return plus(start, 660 * second);
    },
  },
];

describe("a build fails once", () => {
  it.each(deadlines.flatMap((clock) => ways.map((way) => ({ ...clock, ...way }))))(
    "$name, $way",
    async ({ begin, reason, message, offsets }) => {
      await image.create({ settings: { buildTimeoutSeconds: 60 } });
      await passes(await begin(), offsets, isOver);
      const { status } = await image.read();
      expect(status).toMatchObject({ failures: { reason, message }, sandbox: { endReason: reason } });
      await world.until("its pod is deleted", async () => (await image.pod(1)) === undefined, 0);
    },
  );

  it.each([
    { name: "an hour ahead", aheadMs: 60 * minute },
    { name: "an hour behind", aheadMs: -60 * minute },
  ])("by the controller's clock, though its node's is $name", async ({ aheadMs }) => {
    await image.create({ settings: { buildTimeoutSeconds: 60 } });
    await image.begun(1);
    world.clock.advance(5 * minute);
    await image.run(1, aheadMs);
    await image.connect(1);
    await passes(plus(world.clock.now().toISOString(), 660 * second), [-1, 0], isOver);
    expect((await image.read()).status?.failures?.reason).toBe("BuildTimeout");
  });

  it("at the same instant after another controller has begun to lead, once the build lasts for a while", async () => {
    await image.create({ settings: { buildTimeoutSeconds: 60 } });
    await image.begun(1);
    await image.run(1);
    const start = world.clock.now().toISOString();
    await world.rest(controller, 0);
    await image.connect(1);
    await image.note(1, { bootPhase: { phase: "clone", since: start } });
    const kept = await image.until("its start is kept", ({ sandbox }) => sandbox?.containerStartTime !== undefined);
    expect(kept.status?.build?.deadline).toBe(plus(start, 660 * second));
    await controller.stop();
    world.clock.advance(5 * minute);
    controller = await startImageController(world);
    await passes(plus(start, 660 * second), [-1, 0], isOver);
  });

  it("its runtime is silent for a millisecond more than 90 s", async () => {
    await image.create();
    await world.beatGateway();
    await image.boot(1);
    await world.rest(controller, 0);
    // A gateway is heard all the while, so it is the runtime that is silent.
    for (let passedMs = 0; passedMs < 90 * second; passedMs += 5 * second) {
      await untilSeen();
      world.clock.advance(5 * second);
    }
    await world.rest(controller, 0);
    expect(await isBuilding()).toBe(true);
    world.clock.advance(1);
    await world.until("it is over", isOver, 0);
    expect((await image.read()).status?.failures?.reason).toBe("HeartbeatLost");
  });
});

/** The controller has seen that a gateway beats. */
async function untilSeen(): Promise<void> {
  await world.beatGateway();
  await world.rest(controller, 0);
}

it.each([
  { name: "no longest lifetime", limits: {}, seconds: 3_600 },
  { name: "a longest lifetime of 45 minutes", limits: lifetimes(45 * minute), seconds: 2_100 },
])("T in a class with $name, and the kubelet's backstop", async ({ limits: spec, seconds }) => {
  await world.client.patch(SandboxClass, { name: world.namespace }, { spec });
  await image.create({ settings: { buildTimeoutSeconds: 3_600 } });
  const { status } = await image.begun(1);
  expect(status?.build?.timeoutSeconds).toBe(seconds);
  expect((await image.pod(1))?.spec?.activeDeadlineSeconds).toBe(seconds + 600 + limits.bootTimeoutMs / second);
});

it("a time that the class bounds is said, anew when the bound changes, and no more when it fits", async () => {
  const bounded = async (): Promise<string | undefined> => {
    await world.rest(controller, 0);
    return conditionOf(await image.read(), "SettingsBounded")?.message;
  };
  const said = (maxMs: number, seconds: number): string =>
    `buildTimeoutSeconds 3600 (Repository/web) is above maxSandboxTimeoutMs ${maxMs} (SandboxClass/${world.namespace}) less 600 s for storing the image, so ${seconds} counts`;
  const limit = (ms: number): Promise<unknown> =>
    world.client.patch(SandboxClass, { name: world.namespace }, { spec: lifetimes(ms) });
  await limit(45 * minute);
  await image.create({ settings: { buildTimeoutSeconds: 3_600 } });
  await image.begun(1);
  expect(await bounded()).toBe(said(45 * minute, 2_100));
  await limit(50 * minute);
  expect(await bounded()).toBe(said(50 * minute, 2_400));
  await limit(70 * minute);
  expect(await bounded()).toBeUndefined();
});

describe("the check for new commits", () => {
  it.each(ways)("comes at the image's own half hour: $way", async ({ offsets }) => {
    await image.create();
    const { metadata, status } = await image.build(1);
    const { nextCheckTime } = status ?? {};
    expect(Date.parse(nextCheckTime ?? "") % (30 * minute)).toBe(slotOffsetMs(metadata.uid ?? ""));
    await passes(nextCheckTime, offsets, isBuilding);
    const checking = await image.begun(2);
    expect(checking.status?.build).toMatchObject({ step: "Checking", reason: "NewCommits" });
    const checked = await image.findNothing(2);
    expect(checked.status).toMatchObject({ nextCheckTime: plus(nextCheckTime, 30 * minute), image: { build: 1 } });
    expect(checked.status?.builds).toHaveLength(1);
  });

  it("comes at minute 30 where the controller was started again at minute 29, and late where it was away", async () => {
    await image.create();
    const { nextCheckTime } = (await image.build(1)).status ?? {};
    await passTo(nextCheckTime, -minute);
    await controller.stop();
    controller = await startImageController(world);
    await passTo(nextCheckTime, -1);
    expect((await image.read()).status?.build).toBeUndefined();
    await controller.stop();
    world.clock.advance(40 * minute);
    controller = await startImageController(world);
    const checked = await image.findNothing(2);
    // The slot that passed meanwhile is not made up for.
    expect(checked.status?.nextCheckTime).toBe(plus(nextCheckTime, 60 * minute));
  });
});

describe("what has failed is built again", () => {
  const commits = [{ repository: "web", commit: "b".repeat(40) }];

  const waits = [30, 60, 120, 240, 480, 960, 1_440, 1_440];

  it(`after ${waits.join(", ")} minutes, not a millisecond earlier`, async () => {
    await image.create();
    for (const [index, minutes] of waits.entries()) {
      const number = index + 1;
      const failed = await image.fail(number, { reason: "SetupFailed", message: "no", commits });
      const { status } = failed;
      expect(status?.failures?.count).toBe(number);
      const { retryTime } = status?.failures ?? {};
      // Checks in between are another test's.
      await world.client.patchStatus(PrebuiltImage, failed, { ...status, nextCheckTime: plus(retryTime, minute) });
      expect(Date.parse(retryTime ?? "") - Date.parse(status?.sandbox?.endTime ?? "")).toBe(minutes * minute);
      await passTo(retryTime, -1);
      expect((await image.read()).status?.build).toBeUndefined();
      world.clock.advance(1);
    }
    const { status } = await image.begun(waits.length + 1);
    expect(status?.build?.reason).toBe("Retry");
  });
});

describe("branches are looked at at each half hour after a failure", () => {
  const commits = [{ repository: "web", commit: "b".repeat(40) }];
  /** What the runtime of build `number` compares the branches with. */
  async function unlessOf(number: number): Promise<unknown> {
    const { metadata } = await image.begun(number);
    const key = { namespace: world.sessionsNamespace, name: attemptName(metadata.uid ?? "", number) };
    const { data } = await world.client.get(secrets, key);
    const bundle = Bundle.parse(JSON.parse(Buffer.from(data?.[bundleDataKey] ?? "", "base64").toString("utf8")));
    return bundle.build?.unless;
  }

  it.each([
    { name: "at unknown commits", failure: { reason: "CloneFailed", message: "no" }, unless: [] },
    { name: "at these commits", failure: { reason: "SetupFailed", message: "no", commits }, unless: commits },
  ])("$name", async ({ failure, unless }) => {
    await image.create();
    // The retry is so far away that a half hour is between.
    await image.fail(1, failure);
    await passTo((await image.read()).status?.failures?.retryTime, 0);
    const { status } = await image.fail(2, failure);
    expect(Date.parse(status?.failures?.retryTime ?? "")).toBeGreaterThan(Date.parse(status?.nextCheckTime ?? ""));
    await passTo(status?.nextCheckTime, -1);
    expect((await image.read()).status?.build).toBeUndefined();
    world.clock.advance(1);
    expect((await image.begun(3)).status?.build).toMatchObject({ step: "Checking", reason: "NewCommits" });
    expect(await unlessOf(3)).toEqual(unless);
    const checked = await image.findNothing(3);
    expect(checked.status?.failures?.count).toBe(2);
    expect(checked.status?.nextCheckTime).toBe(plus(status?.nextCheckTime, 30 * minute));
  });
});

it("an image without a build counts as stale after two hours", async () => {
  await image.create({}, { sandboxClassName: "none" });
  const { status } = await image.until("it is judged", ({ conditions }) => conditions !== undefined);
  const since = status?.conditions?.find(({ type }) => type === "Ready")?.lastTransitionTime;
  const { items } = await world.client.list(PrebuiltImage, { namespace: world.namespace });
  const counts = [-1, 0, 1].map((offsetMs) =>
    countStale(items, new Date(Date.parse(since ?? "") + 120 * minute + offsetMs)),
  );
  expect(counts).toEqual([0, 1, 1]);
});

it.each(ways)("a Secret that is missing is looked for again after 60 s: $way", async ({ offsets }) => {
  await image.create({ secretRef: { name: "later" } });
  await image.until("it is refused", ({ conditions }) => conditions?.some(({ type }) => type === "Stalled") ?? false);
  const refused = world.clock.now().toISOString();
  const metadata = { namespace: world.namespace, name: "later", labels: scopeLabels("repository", "web") };
  await world.client.create(secrets, { metadata, data: {} });
  await passes(plus(refused, 60 * second), offsets, isBuilding);
});
