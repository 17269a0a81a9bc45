import { Buffer } from "node:buffer";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { SkillInSet } from "../../../src/api/runtime/skill-set.ts";
import {
  Environment,
  Session,
  type SessionSpec,
  Skill,
  skillPieceName,
  SkillSpec,
} from "../../../src/api/v1alpha1/index.ts";
import { decodeSet } from "../../../src/domain/skills/skill-set.ts";
import { makeChild } from "../../../src/gateway/children/make-child.ts";
import { configMaps, secrets } from "../../../src/kube/core-resources.ts";
import { testCluster } from "../../support/cluster.ts";
import { conditionOf, type Operator, World } from "./world.ts";

let world: World;
let operator: Operator;
beforeEach(async () => {
  world = await World.make(testCluster().kubeconfig);
  await world.allowRunner([{ resources: ["repositories", "environments"], verbs: ["get"] }]);
  operator = await world.startOperator();
});
afterEach(() => world.close());

async function aSkill(name: string, spec: object = {}): Promise<void> {
  const parsed = SkillSpec.parse({ description: "d", appliesTo: { all: true }, ...spec });
  await world.client.create(Skill, { metadata: { name, namespace: world.namespace }, spec: parsed });
}

async function change(name: string, spec: object): Promise<void> {
  await world.client.patch(Skill, { namespace: world.namespace, name }, { spec });
}

async function start(spec: Partial<SessionSpec> = {}, name = "fix"): Promise<Session> {
  const session = await world.createSession(name, spec);
  await world.createPrompt(session, 1);
  return session;
}

/** The skills that the sandbox of an attempt gets. */
async function skillsOf(session: Session, attempt = 1): Promise<SkillInSet[]> {
  await world.bringUp(session, attempt);
  const { skills } = await world.bundle(session, attempt);
  if (!skills) return [];
  const pieces = [];
  for (let piece = 0; piece < skills.pieces; piece += 1) {
    const key = { namespace: world.sessionsNamespace, name: skillPieceName(skills.digest, piece) };
    const { data } = await world.client.get(secrets, key);
    pieces.push(Buffer.from(data?.["skills.json"] ?? "", "base64"));
  }
  return decodeSet(Buffer.concat(pieces), skills.digest);
}

const namesOf = async (session: Session, attempt = 1): Promise<string> =>
  (await skillsOf(session, attempt)).map(({ name }) => name).join(" ");

async function endFirstSandbox(): Promise<void> {
  await world.untilSession("fix", "dispatched", ({ currentPrompt }) => currentPrompt !== undefined);
  await world.settlePrompt("fix-1", true, "Completed");
  await world.until("the sandbox is gone", async () => (await world.pods()).length === 0);
}

it("a session gets what applies to it, whether its account may list Skills or not; its status says what, and no set is stored twice", async () => {
  await world.createRepository("web");
  const repositoryRefs = [{ name: "web" }];
  await world.client.create(Environment, {
    metadata: { name: "shop", namespace: world.namespace },
    spec: { repositoryRefs },
  });
  await aSkill("everywhere");
  await aSkill("web", { appliesTo: { repositories: ["web"] } });
  await aSkill("shop", { appliesTo: { environments: ["shop"] } });
  await aSkill("nowhere", { appliesTo: {} });
  await aSkill("suspended", { suspend: true });
  // Together with SKILL.md one byte too large, which its own condition says.
  await aSkill("invalid", { body: "x".repeat(262_144) });

  const shop = await start({ target: { environmentRef: { name: "shop" } } });
  const found = await skillsOf(shop);
  expect(found.map(({ name }) => name).join(" ")).toBe("everywhere shop web");
  const { status } = await world.untilSession("fix", "skills", ({ skills }) => skills !== undefined);
  expect(status?.skills).toMatchObject({ names: ["everywhere", "shop", "web"], pieces: 1 });
  expect(status?.skills?.bytes).toBe(found.reduce((sum, { skillFile }) => sum + skillFile.length, 0));

  expect(await namesOf(await start({ target: { repositoryRefs } }, "second"))).toBe("everywhere web");
  expect(await namesOf(await start({ target: { repositoryRefs } }, "third"))).toBe("everywhere web");
  expect((await world.bundles()).filter((name) => name.startsWith("skills-"))).toHaveLength(2);
  const chosen = { skills: { mode: "Names" as const, names: ["web", "shop"] }, target: { repositoryRefs } };
  expect(await namesOf(await start(chosen, "chosen"))).toBe("web");
  expect(await namesOf(await start({ skills: { mode: "None" } }, "none"))).toBe("");
});

it.each<[string, () => Promise<unknown>]>([
  ["edited", () => change("one", { body: "new" })],
  ["suspended", () => change("one", { suspend: true })],
  ["deleted", () => world.client.delete(Skill, { namespace: world.namespace, name: "one" })],
  ["joined by another", () => aSkill("two")],
])("a session has the same bytes after its Skill was %s and the operator restarted", async (_, happens) => {
  await aSkill("one", { body: "old" });
  const session = await start();
  const before = await skillsOf(session);
  expect(before).toHaveLength(1);
  await happens();
  await endFirstSandbox();
  await operator.stop();
  operator = await world.startOperator();
  await world.createPrompt(session, 2);
  expect(await skillsOf(session, 2)).toEqual(before);
});

it("a session has the same bytes after its Environment was edited, and the next one has what applies then (2.8)", async () => {
  for (const name of ["web", "api"]) await world.createRepository(name);
  const key = { name: "shop", namespace: world.namespace };
  await world.client.create(Environment, {
    metadata: key,
    spec: { repositoryRefs: [{ name: "web" }, { name: "api" }] },
  });
  await aSkill("everywhere");
  await aSkill("web", { appliesTo: { repositories: ["web"] } });
  await aSkill("shop", { appliesTo: { environments: ["shop"] } });
  const target = { environmentRef: { name: "shop" } };
  const session = await start({ target });
  const before = await skillsOf(session);
  expect(before.map(({ name }) => name).join(" ")).toBe("everywhere shop web");
  await world.client.patch(Environment, key, { spec: { repositoryRefs: [{ name: "api" }] } });
  await endFirstSandbox();
  await world.createPrompt(session, 2);
  expect(await skillsOf(session, 2)).toEqual(before);
  expect(await namesOf(await start({ target }, "second"))).toBe("everywhere shop");
});

const configMapKey = (name = "style"): { namespace: string; name: string } => ({ namespace: world.namespace, name });

/** A Skill whose file is a key of ConfigMap `style`. */
async function aSkillOfAConfigMap(text: string | undefined): Promise<void> {
  if (text !== undefined) {
    await world.client.create(configMaps, { metadata: configMapKey(), data: { "style.md": text } });
  }
  const file = { path: "references/style.md", configMapKeyRef: { name: "style", key: "style.md" } };
  await aSkill("one", { files: [file] });
}

it.each<[string, () => Promise<unknown>]>([
  ["changed", () => world.client.patch(configMaps, configMapKey(), { data: { "style.md": "new" } })],
  ["deleted", () => world.client.delete(configMaps, configMapKey())],
])("a session gets a ConfigMap's text, and keeps it after that was %s", async (_, happens) => {
  await aSkillOfAConfigMap("é bold");
  const session = await start();
  const before = await skillsOf(session);
  expect(before).toMatchObject([{ files: [{ path: "references/style.md", content: "é bold" }] }]);
  await happens();
  await endFirstSandbox();
  await world.createPrompt(session, 2);
  expect(await skillsOf(session, 2)).toEqual(before);
});

it("a session gets bytes of a ConfigMap that are no text", async () => {
  await world.client.create(configMaps, { metadata: configMapKey(), binaryData: { "style.md": "iVD/" } });
  await aSkill("one", { files: [{ path: "logo.png", configMapKeyRef: { name: "style", key: "style.md" } }] });
  expect(await skillsOf(await start())).toMatchObject([
    { files: [{ path: "logo.png", content: "iVD/", encoding: "base64" }] },
  ]);
});

it("a session gets no Skill whose ConfigMap is missing, and all others", async () => {
  await aSkillOfAConfigMap(undefined);
  await aSkill("two");
  expect(await namesOf(await start())).toBe("two");
});

it("a session that began without skills stays without them", async () => {
  const session = await start();
  expect(await namesOf(session)).toBe("");
  await aSkill("one");
  await endFirstSandbox();
  await world.createPrompt(session, 2);
  expect(await namesOf(session, 2)).toBe("");
});

it("a child has its parent's skills, whatever became of them", async () => {
  await aSkill("one", { body: "old" });
  const parent = await start();
  const before = await skillsOf(parent);
  await world.untilSession("fix", "skills", ({ skills }) => skills !== undefined);
  await change("one", { body: "new" });
  const made = makeChild(parent, { bytes: Buffer.alloc(8, 1) });
  const child = await world.client.create<Session>(Session, { ...made, spec: { ...made.spec, idleTimeoutSeconds: 0 } });
  await world.createPrompt(child, 1);
  const name = child.metadata.name!;
  const { status } = await world.untilSession(name, "skills", ({ skills }) => skills !== undefined);
  expect(status?.skills).toEqual((await world.session("fix")).status?.skills);
  expect(before[0]?.skillFile).toContain("old");
});

describe("a session is not started", () => {
  it("with more than 5 MiB, and is with exactly as many", async () => {
    const files = ["a", "b", "c"].map((path) => ({ path, content: "x".repeat(262_144) }));
    const sized = (name: string): object => {
      const head = `---\nname: "${name}"\ndescription: "d"\n---\n`.length;
      return { files, body: "x".repeat(262_144 - head) };
    };
    for (const name of ["a", "b", "c", "d", "e"]) await aSkill(name, sized(name));
    const session = await start({}, "first");
    expect(await namesOf(session)).toBe("a b c d e");
    const { status } = await world.untilSession("first", "skills", ({ skills }) => skills !== undefined);
    expect(status?.skills?.bytes).toBe(5_242_880);

    await world.client.delete(Session, {
      namespace: world.namespace,
      name: "first",
    });
    await aSkill("f");
    await start();
    const find = async () => conditionOf(await world.prompt("fix-1"), "Succeeded");
    await world.until("a verdict", async () => (await find()) !== undefined);
    expect(await find()).toMatchObject({
      reason: "SkillsTooLarge",
      message: expect.stringMatching(
        /^the session's skills are 5242915 bytes, the limit is 5242880; the largest: a 1048576, /,
      ) as string,
    });
  });
});

it("a stored set that a person has changed is stored anew", async () => {
  await aSkill("one");
  const session = await start();
  const { digest } = (await world.untilPod(1).then(() => world.bundle(session, 1))).skills!;
  const key = { namespace: world.sessionsNamespace, name: skillPieceName(digest, 0) };
  await world.client.delete(secrets, key);
  await world.client.create(secrets, { metadata: key, data: { "skills.json": "e30=" } });
  expect(await namesOf(await start({}, "second"))).toBe("one");
});
