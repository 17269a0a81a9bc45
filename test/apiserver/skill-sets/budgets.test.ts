import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { labels, Session, Skill, skillPieceName, SkillSpec } from "../../../src/api/v1alpha1/index.ts";
import { makeSkillSecrets } from "../../../src/controllers/sandbox/skills/pieces.ts";
import { encodeSet } from "../../../src/domain/skills/skill-set.ts";
import { secrets } from "../../../src/kube/core-resources.ts";
import { testCluster } from "../../support/cluster.ts";
import { conditionOf, type Operator, World } from "../session/world.ts";

let world: World;
let operator: Operator;
beforeEach(async () => {
  world = await World.make(testCluster().kubeconfig);
  operator = await world.startOperator();
});
afterEach(() => world.close());

/** The one Skill of the namespace; sets of different letters have as many bytes. */
async function say(letter: string): Promise<void> {
  const key = { namespace: world.namespace, name: "one" };
  const body = letter.repeat(1_000);
  const spec = SkillSpec.parse({ description: "d", appliesTo: { all: true }, body });
  if (await world.client.find(Skill, key)) await world.client.patch(Skill, key, { spec: { body } });
  else await world.client.create(Skill, { metadata: key, spec });
}

async function begin(name: string): Promise<void> {
  await world.createPrompt(await world.createSession(name), 1);
}

/** The digest of the set with which a session starts. */
async function started(name: string): Promise<string> {
  await begin(name);
  const { status } = await world.untilSession(name, "has its skills", ({ skills }) => skills !== undefined);
  return status!.skills!.digest;
}

/** What the prompt of a session that does not start fails with. */
async function refused(name: string): Promise<{ reason: string; message: string } | undefined> {
  await begin(name);
  await world.until("a verdict", async () => conditionOf(await world.prompt(`${name}-1`)) !== undefined);
  return conditionOf(await world.prompt(`${name}-1`));
}

/** Bytes of the sets that sessions of a namespace have stored. */
async function stored(namespace: string): Promise<number> {
  const { items } = await world.client.list(secrets, { namespace: world.sessionsNamespace });
  const own = items.filter(({ metadata }) => metadata.labels?.[labels.sessionNamespace] === namespace);
  return own.reduce((sum, { metadata }) => sum + Number(metadata.labels?.[labels.skillsBytes] ?? 0), 0);
}

async function restart(skillSetBudgets: { namespace: number; total: number }): Promise<void> {
  await operator.stop();
  operator = await world.startOperator({}, { skillSetBudgets });
}

/** A set of 5,000 bytes and more that another namespace has stored; its size. */
async function ofOthers(): Promise<number> {
  const set = encodeSet([{ name: "one", skillFile: "x".repeat(5_000), files: [] }]);
  const { sessionsNamespace, release } = world;
  for (const secret of makeSkillSecrets(set, { sessionsNamespace, release, namespace: "other" }))
    await world.client.create(secrets, secret);
  return set.content.length;
}

const plenty = 1_000_000_000;

describe.each(["namespace", "total"] as const)("sets of skills of sessions, by the budget %s,", (bound) => {
  it.each([
    { name: "one byte less than they have", more: -1, sets: 1 },
    { name: "exactly what they have", more: 0, sets: 2 },
    { name: "one byte more than they have", more: 1, sets: 2 },
  ])("start while there is room: with $name $sets do", async ({ more, sets }) => {
    await say("a");
    const first = await started("first");
    const others = await ofOthers();
    const bytes = await stored(world.namespace);
    const room = 2 * bytes + more;
    await restart({ namespace: plenty, total: plenty, [bound]: bound === "total" ? room + others : room });

    await say("b");
    if (sets === 2) expect(await started("second")).not.toBe(first);
    await say("c");
    const refusal = await refused("third");
    expect(refusal).toMatchObject({ status: "False", reason: "SkillsOverBudget" });
    expect(refusal?.message).toContain(`for sets of skills (controller.skillSetBudgets.${bound})`);
    expect(refusal?.message).toContain("ask the platform team for more");
    expect(new Set(operator.skillSetRefusals)).toEqual(new Set([bound]));
    expect(await stored(world.namespace)).toBe(sets * bytes);

    // A set that is there costs nothing more.
    await say("a");
    expect(await started("fourth")).toBe(first);
  });
});

it("a budget below what is stored keeps no session with a stored set from starting", async () => {
  await say("a");
  const digest = await started("first");
  await restart({ namespace: 0, total: 0 });
  expect(await started("second")).toBe(digest);
  await say("b");
  expect(await refused("third")).toMatchObject({ reason: "SkillsOverBudget" });
});

it("a session starts once another one's set is gone", async () => {
  await say("a");
  const digest = await started("first");
  const bytes = await stored(world.namespace);
  await restart({ namespace: bytes, total: plenty });
  await say("b");
  expect(await refused("second")).toMatchObject({ reason: "SkillsOverBudget" });
  await world.client.delete(Session, { namespace: world.namespace, name: "first" });
  await world.client.delete(secrets, { namespace: world.sessionsNamespace, name: skillPieceName(digest, 0) });
  await world.rest(operator);
  expect(await started("third")).not.toBe(digest);
});
