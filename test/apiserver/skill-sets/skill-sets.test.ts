import { readFile } from "node:fs/promises";
import { afterEach, beforeEach, expect, it } from "vitest";
import { skillPieceName } from "../../../src/api/v1alpha1/names.ts";
import { Session } from "../../../src/api/v1alpha1/session.ts";
import { Skill, SkillSpec } from "../../../src/api/v1alpha1/skill.ts";
import { kindInformers } from "../../../src/controllers/kind-informers.ts";
import { sandboxInformers } from "../../../src/controllers/sandbox/informers.ts";
import { makeSkillSecrets } from "../../../src/controllers/sandbox/skills/pieces.ts";
import { SkillSetUse } from "../../../src/controllers/sandbox/skills/set-use.ts";
import { skillSetController } from "../../../src/controllers/skill-sets/controller.ts";
import { encodeSet } from "../../../src/domain/skills/skill-set.ts";
import type { KubeClient } from "../../../src/kube/client.ts";
import { secrets } from "../../../src/kube/core-resources.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { FakeClock } from "../../../src/lib/fake-clock.ts";
import { systemRandom } from "../../../src/lib/random.ts";
import { collectingPlane } from "../../support/collecting-plane.ts";
import { namespaces } from "../../support/core-resources.ts";
import { ControllersAtWork } from "../../support/controllers-at-work.ts";
import { clientOf, newNamespace, until } from "../../support/kube.ts";
import { grantProcess, newRelease, processClient } from "../../support/process-accounts.ts";
import { WorldTime } from "../../support/world-time.ts";

// Namespaces go only where their own controller runs.
const plane = collectingPlane();
const minute = 60_000;

let client: KubeClient;
/** Of the controller's process. */
let controllerClient: KubeClient;
let tenant: string;
let sessionsNamespace: string;
let closers: (() => Promise<unknown>)[];
beforeEach(async () => {
  const connection = clientOf({ file: plane.kubeconfig });
  client = connection.client;
  const release = await newRelease(client);
  tenant = await newNamespace(client, "tenant");
  sessionsNamespace = release.sessionsNamespace;
  const user = await grantProcess(client, "controller", release);
  const controller = processClient("controller", await readFile(plane.kubeconfig, "utf8"), user);
  controllerClient = controller.client;
  closers = [() => connection.close(), () => controller.close()];
});
afterEach(async () => {
  for (const close of closers.reverse()) await close();
});

/** Stores a set with this text; its digest. */
async function stored(text: string): Promise<string> {
  const set = encodeSet([{ name: "one", skillFile: text, files: [] }]);
  const release = { name: "rw", namespace: "system" };
  for (const secret of makeSkillSecrets(set, { sessionsNamespace, release, namespace: tenant }))
    await client.create(secrets, secret);
  return set.digest;
}

async function left(): Promise<string[]> {
  const { items } = await client.list(secrets, { namespace: sessionsNamespace });
  return items.map(({ metadata }) => metadata.name ?? "").sort();
}

/** The collector, whose cache of Sessions shows one namespace alone. */
async function startCollector(
  cachedNamespace: string,
): Promise<{ clock: FakeClock; time: WorldTime; use: SkillSetUse }> {
  const clock = new FakeClock();
  const time = new WorldTime(clock);
  const use = new SkillSetUse(clock);
  const reads = { client: controllerClient, clock: systemClock, random: systemRandom };
  const { sessions } = kindInformers(reads, { namespace: cachedNamespace });
  const { secrets: stored } = sandboxInformers(reads, {
    release: { name: "rw", namespace: "system" },
    sessionsNamespace,
  });
  const informers = { sessions, secrets: stored };
  const work = new ControllersAtWork(client, [sessions, stored]);
  const controller = skillSetController({
    ...{ client: controllerClient, clock, random: systemRandom, informers, skillSets: use },
    metrics: work.metrics,
  });
  for (const informer of Object.values(informers)) informer.start();
  closers.push(
    () => Promise.all(Object.values(informers).map((informer) => informer.stop())),
    () => controller.stop(0),
  );
  await controller.start();
  time.waitFor(work);
  return { clock, time, use };
}

it("deletes all pieces of a set an hour after its last use, unless a Session names it, and nothing else", async () => {
  const named = await stored("named");
  const unnamed = await stored("x".repeat(800_000));
  const inUse = await stored("in use");
  await client.create(secrets, { metadata: { namespace: sessionsNamespace, name: "skills-of-a-person" } });
  const session = await client.create(Session, { metadata: { namespace: tenant, name: "live" }, spec: {} } as Session);
  const skills = { digest: named, names: ["one"], bytes: 1, pieces: 1 };
  await client.patchStatus(Session, session, { observedGeneration: 1, skills });
  // Its cache lacks the Session, which the API server has.
  const { clock, time, use } = await startCollector(sessionsNamespace);
  await time.until("almost an hour has passed", () => clock.monotonicMs() >= 59 * minute, { stepMs: minute });
  expect(await left()).toHaveLength(5);
  use.use(inUse);
  await time.until("one is gone", async () => (await left()).length === 3, { stepMs: minute });
  // It looks every 10 minutes.
  expect(clock.monotonicMs()).toBeGreaterThanOrEqual(60 * minute);
  expect(clock.monotonicMs()).toBeLessThanOrEqual(70 * minute);
  const kept = [named, inUse].map((digest) => skillPieceName(digest, 0));
  expect(await left()).toEqual([...kept, "skills-of-a-person"].sort());
  expect(await left()).not.toContain(skillPieceName(unnamed, 1));

  await client.delete(Session, { namespace: tenant, name: "live" });
  await time.until("the others are gone", async () => (await left()).length === 1, { stepMs: minute });
});

it.each([
  ["while the controller runs", true],
  ["while no controller runs", false],
])("no Secret of a namespace with Sessions and Skills is left that was deleted %s", async (_, isRunning) => {
  const digest = await stored("named");
  await client.create(Skill, {
    metadata: { namespace: tenant, name: "one" },
    spec: SkillSpec.parse({ description: "d" }),
  });
  const session = await client.create(Session, { metadata: { namespace: tenant, name: "live" }, spec: {} } as Session);
  const skills = { digest, names: ["one"], bytes: 1, pieces: 1 };
  await client.patchStatus(Session, session, { observedGeneration: 1, skills });
  const remove = async (): Promise<void> => {
    await client.delete(namespaces, { name: tenant });
    await until("the namespace is gone", async () => (await client.find(namespaces, { name: tenant })) === undefined);
  };
  if (!isRunning) await remove();
  const { clock, time } = await startCollector(tenant);
  if (isRunning) {
    await time.until("two hours have passed", () => clock.monotonicMs() >= 120 * minute, { stepMs: minute });
    expect(await left()).toEqual([skillPieceName(digest, 0)]);
    await remove();
  }
  await time.until("the set is gone", async () => (await left()).length === 0, { stepMs: minute });
});
