import { afterEach, beforeEach, expect, it } from "vitest";
import { Environment, Repository, Skill, SkillSpec } from "../../../src/api/v1alpha1/index.ts";
import { configMaps } from "../../../src/kube/core-resources.ts";
import { testCluster } from "../../support/cluster.ts";
import { type ScopeControllers, startScopeControllers } from "./scope-controllers.ts";
import { conditionOf, World } from "./world.ts";

let world: World;
let controllers: ScopeControllers;
beforeEach(async () => {
  world = await World.make(testCluster().kubeconfig);
  controllers = await startScopeControllers(world);
});
afterEach(async () => {
  await controllers.stop();
  await world.close();
});

const named = (name: string): { namespace: string; name: string } => ({ namespace: world.namespace, name });

async function aSkill(name: string, spec: object = {}): Promise<void> {
  const parsed = SkillSpec.parse({ description: "d", appliesTo: { all: true }, ...spec });
  await world.client.create(Skill, { metadata: named(name), spec: parsed });
}

const skill = (name: string): Promise<Skill> => world.client.get<Skill>(Skill, named(name));
const atRest = (): Promise<void> => world.rest(controllers);
/** Without those of classes, which other tests make in the same cluster. */
const writes = (): string[] => controllers.writes.filter((write) => write !== "patch SandboxClass/status");
const fromConfigMap = { path: "references/style.md", configMapKeyRef: { name: "style", key: "style.md" } };

/** The Skill once its condition `Ready` has this reason, while time goes on. */
async function untilReason(name: string, reason: string, stepMs = 20): Promise<Skill> {
  await world.until(
    `${name} is ${reason}`,
    async () => conditionOf(await skill(name), "Ready")?.reason === reason,
    stepMs,
  );
  return skill(name);
}

it("a Skill names the ConfigMap and then the key that it lacks, and is ready a minute after both are there", async () => {
  const found = async (reason: string): Promise<string | undefined> =>
    conditionOf(await untilReason("one", reason, 5_000), "Ready")?.message;
  await aSkill("one", { files: [fromConfigMap] });
  expect(await found("SkillFileNotFound")).toBe("references/style.md: there is no ConfigMap style in the namespace");
  await world.client.create(configMaps, { metadata: named("style"), data: { other: "" } });
  await world.until(
    "the key is asked for",
    async () =>
      conditionOf(await skill("one"), "Ready")?.message === "references/style.md: ConfigMap style has no key style.md",
    5_000,
  );
  const addedMs = world.clock.monotonicMs();
  await world.client.patch(configMaps, named("style"), { data: { "style.md": "bold" } });
  const { status } = await untilReason("one", "Ready", 5_000);
  expect(world.clock.monotonicMs() - addedMs).toBeLessThanOrEqual(65_000);
  expect(status?.bytes).toBe(`---\nname: "one"\ndescription: "d"\n---\nbold`.length);

  const { digest } = status ?? {};
  await world.client.patch(configMaps, named("style"), { data: { "style.md": "BOLD" } });
  await world.until("it is measured again", async () => (await skill("one")).status?.digest !== digest, 5_000);
});

it("a Repository and an Environment are warned of more than 5 MiB before a session fails, and no longer", async () => {
  const repositoryRefs = [{ name: "web" }];
  await world.createRepository("web");
  await world.createRepository("api");
  await world.client.create(Environment, { metadata: named("shop"), spec: { repositoryRefs } });
  const files = ["a", "b", "c"].map((path) => ({ path, content: "x".repeat(262_144) }));
  const sized = (name: string): object => {
    const head = `---\nname: "${name}"\ndescription: "d"\n---\n`.length;
    return { files, body: "x".repeat(262_144 - head) };
  };
  for (const name of ["a", "b", "c", "d"]) await aSkill(name, sized(name));
  await aSkill("e", { ...sized("e"), appliesTo: { repositories: ["web"] } });
  const warnings = async (): Promise<(string | undefined)[]> => {
    await atRest();
    const objects = await Promise.all([
      world.client.get<Repository>(Repository, named("web")),
      world.client.get<Repository>(Repository, named("api")),
      world.client.get<Environment>(Environment, named("shop")),
    ]);
    return objects.map((object) => conditionOf(object, "SkillsTooLarge")?.message);
  };
  expect(await warnings()).toEqual([undefined, undefined, undefined]);

  await aSkill("f", { appliesTo: { environments: ["shop"] } });
  const large = expect.stringContaining(
    "its skills are 5242915 bytes, the limit is 5242880; the largest: a 1048576, ",
  ) as string;
  expect(await warnings()).toEqual([undefined, undefined, large]);
  await world.client.patch(Skill, named("f"), {
    spec: { appliesTo: { environments: [], repositories: ["web"] } },
  });
  expect(await warnings()).toEqual([large, undefined, large]);
  await world.client.patch(Skill, named("f"), { spec: { suspend: true } });
  expect(await warnings()).toEqual([undefined, undefined, undefined]);
  await world.client.patch(Skill, named("f"), { spec: { suspend: false } });
  expect(await warnings()).toEqual([large, undefined, large]);
  await world.client.delete(Skill, named("a"));
  expect(await warnings()).toEqual([undefined, undefined, undefined]);
});

it("200 Skills settle with a write each, and later rereads of their ConfigMaps cause none", async () => {
  await world.createRepository("web");
  await world.client.create(configMaps, { metadata: named("style"), data: { "style.md": "bold" } });
  await atRest();
  controllers.writes.length = 0;
  const head = `---\nname: "s-000"\ndescription: "d"\n---\nbold`.length;
  for (let index = 0; index < 200; index += 1) {
    const name = `s-${String(index).padStart(3, "0")}`;
    await aSkill(name, { body: "x".repeat(20_000 - head), files: [fromConfigMap] });
  }
  await atRest();
  const { items } = await world.client.list<Skill>(Skill, { namespace: world.namespace });
  expect(items.filter(({ status }) => status?.bytes === 20_000)).toHaveLength(200);
  expect(writes()).toEqual(Array.from({ length: 200 }, () => "patch Skill/status"));

  controllers.writes.length = 0;
  controllers.reads.length = 0;
  const rereads = (): number => controllers.reads.filter((read) => read === "get ConfigMap").length;
  await world.until("all were read three times more", () => rereads() >= 600, 60_000);
  expect(writes()).toEqual([]);
  // Another leader finds all as it is.
  await controllers.stop();
  controllers = await startScopeControllers(world);
  await atRest();
  expect(controllers.reads.filter((read) => read === "get Skill")).toHaveLength(200);
  expect(writes()).toEqual([]);
});

it("a Skill whose write of status fails is ready at the next try", async () => {
  await atRest();
  await controllers.stop();
  controllers = await startScopeControllers(world, { failsFirst: "patch Skill" });
  await atRest();
  await aSkill("one");
  await untilReason("one", "Ready");
  expect(controllers.work.reconciles.filter((one) => one.startsWith("skill "))).toEqual(["skill error", "skill done"]);
});
