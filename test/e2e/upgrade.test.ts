import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { Automation, Run, SandboxClass, Session } from "../../src/api/v1alpha1/index.ts";
import { deployments } from "../support/core-resources.ts";
import { deliver, openEntrance } from "./support/delivery.ts";
import type { FollowedRun, StartedRun } from "./support/follow.ts";
import { installRelease, release } from "./support/install.ts";
import { samplePayload } from "./support/payload.ts";
import { succeeded } from "./support/stages.ts";
import { kubectl } from "./support/workbench.ts";
import { loadImages } from "../../hack/images/images.ts";
import { run } from "../../hack/lib/command.ts";
import { ensureHelm } from "../../hack/toolchain/helm.ts";
import { until } from "../support/kube.ts";
import { useBranch } from "./support/branch.ts";
import { newRelease, type NewRelease } from "./support/new-release.ts";
import { previousRelease } from "./support/previous-release.ts";
import { makeTenant, openStage, type Stage, type Tenant } from "./support/tenant.ts";
import { WaitingSandboxes, waitingAgent, waitingSetup } from "./support/waiting-sandboxes.ts";

// The release of the commit before is upgraded to this one while sandboxes work and deliveries come, then taken away and
// installed again. Other files find it as it was. The rehearsal of a release (hack/release/rehearsal) has this one come from a registry.

let stage: Stage;
/** Its sandboxes live through the upgrade. */
let tenant: Tenant;
/** Its deliveries come during the upgrade; no sandbox of it starts. */
let busy: Tenant;
let sandboxes: WaitingSandboxes;
let booting: StartedRun;
let working: StartedRun;
let next: NewRelease;
/** Keys of deliveries that were answered 200, and of all that were sent. */
let taken: string[];
let sent: string[];

beforeAll(async () => {
  stage = await openStage("upgrade");
  const { bench, narrator } = stage;
  next = await newRelease(narrator);
  const folder = await mkdtemp(join(tmpdir(), "previous-"));
  try {
    const previous = await previousRelease(folder, narrator.say);
    if (bench.local) await loadImages(bench.local, Object.values(previous.images), narrator.say);
    await installRelease(bench, previous.images, narrator, { chart: previous.chart });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  [tenant, busy] = await Promise.all([makeTenant(stage, { command: waitingAgent }), makeTenant(stage)]);
  await bench.client.patch(SandboxClass, { name: busy.namespace }, { spec: { maxSandboxes: 0 } });
  sandboxes = new WaitingSandboxes(stage, tenant);
  await useBranch(stage, tenant, { ".runwright/setup.sh": waitingSetup });
  working = await tenant.start("its agent works", (await samplePayload()).body);
  booting = await tenant.start("its sandbox boots", (await samplePayload()).body);
  for (const { name } of [working, booting]) {
    await until(`${name} boots`, () => sandboxes.hasBegun(`${name}-0`, "setup"));
  }
  await sandboxes.letGo(`${working.name}-0`);
  await until("the agent works", () => sandboxes.hasBegun(`${working.name}-0`, "prompt"));

  const upgrade = next.install(bench, rolled("upgraded"));
  ({ taken, sent } = await sendDuring(upgrade));
});

afterAll(async () => {
  await Promise.all([tenant.close(), busy.close()]);
  await stage.close();
});

/** Values that replace the pods of all processes, also where nothing else has changed. */
function rolled(mark: string): string[] {
  return ["controller", "ingress", "gateway"].map((process) => `${process}.podAnnotations.upgrade-test=${mark}`);
}

const pauseMs = 500;

/** Sends deliveries one after the other, each until it is answered 200, as a sender that retries does. */
async function sendDuring(upgrade: Promise<void>): Promise<{ taken: string[]; sent: string[] }> {
  let isOver = false;
  const finished = upgrade.finally(() => (isOver = true));
  const goesOn = (): boolean => !isOver;
  const all: string[] = [];
  const answered: string[] = [];
  while (goesOn()) {
    const { body } = await samplePayload({ keyed: true });
    const key = String(body.idempotencyKey);
    all.push(key);
    let status = 0;
    while (status !== 200 && goesOn()) {
      status = await busy.send("during the upgrade", { body }).then(
        (answer) => answer.status,
        () => 0,
      );
      await delay(pauseMs);
    }
    if (status === 200) answered.push(key);
  }
  await finished;
  return { taken: answered, sent: all };
}

describe("an upgrade from the previous commit's release", () => {
  it("replaces the pods of all processes", async () => {
    for (const process of ["controller", "ingress", "gateway"]) {
      const key = { namespace: release.namespace, name: `${release.name}-${process}` };
      const { spec } = await stage.bench.client.get(deployments, key);
      expect(spec?.template.metadata?.annotations).toMatchObject({ "upgrade-test": "upgraded" });
      expect(spec?.template.spec?.containers[0]?.image).toBe(next.operatorImage);
    }
  });

  it("loses no delivery that was answered, and starts none twice", async () => {
    const { items } = await stage.bench.client.list(Run, { namespace: busy.namespace });
    const started = items.map(({ spec }) => spec.trigger.idempotencyKey ?? "");
    expect(taken.length).toBeGreaterThan(0);
    expect(new Set(started).size).toBe(started.length);
    expect(started).toEqual(expect.arrayContaining(taken));
    expect(sent).toEqual(expect.arrayContaining(started));
  });

  it.each([
    ["whose agent worked", () => working, 1],
    ["whose sandbox booted", () => booting, 2],
  ] as const)("goes on with the Run %s, in its first sandbox", async (_name, of, steps) => {
    const { name } = of();
    if (steps === 2) {
      await until("setup.sh is let go on", () => sandboxes.letGo(`${name}-0`));
      await until("the agent works", () => sandboxes.hasBegun(`${name}-0`, "prompt"));
    }
    await until("the agent is let go on", () => sandboxes.letGo(`${name}-0`));
    const { run: ended }: FollowedRun = await tenant.watcher.follow(of());
    expect(succeeded(ended)).toMatchObject({ status: "True", reason: "Completed" });
    expect(ended.status?.result?.summary).toBe("setup prompt");
    const session = await stage.bench.client.get(Session, { namespace: tenant.namespace, name: `${name}-0` });
    expect(session.status?.sandbox?.attempt).toBe(1);
  });
});

describe("an uninstall", () => {
  let printed: string;

  beforeAll(async () => {
    const helm = await ensureHelm(() => undefined);
    const where = ["--namespace", release.namespace, "--wait", ...stage.bench.helmArgs];
    printed = await run(helm, ["uninstall", release.name, ...where]);
  });

  it("says what it keeps, and keeps all objects of people", async () => {
    expect(printed).toContain(`[Namespace] ${release.namespace}-${release.name}-keys`);
    const key = { namespace: tenant.namespace, name: tenant.automationName };
    expect((await stage.bench.client.get(Automation, key)).status?.webhook).toBeDefined();
    expect((await tenant.runNames()).size).toBe(2);
    expect(await kubectl(stage.bench, ["get", "crds", "-o", "name"])).toContain("automations.runwright.dev");
  });

  it("is followed by an installation that knows keys and deliveries", async () => {
    await next.install(stage.bench, []);
    const body = { ...(await samplePayload()).body, idempotencyKey: taken[0] };
    // The Service has another address than before.
    const entrance = await openEntrance(stage.bench);
    const { automation, key } = busy;
    const answer = await deliver(entrance, { what: "a repeat", automation, key, body });
    expect(answer).toMatchObject({ status: 200, body: { triggered: 0, skipped: 1 } });
    entrance.close();
  });
});
