import { createHash } from "node:crypto";
import { Buffer } from "node:buffer";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Automation, Run, Session } from "../../../src/api/v1alpha1/index.ts";
import { secrets, type Secret } from "../../../src/kube/core-resources.ts";
import { testCluster } from "../../support/cluster.ts";
import { conditionOf, World } from "./world.ts";

let world: World;
beforeEach(async () => {
  world = await World.make(testCluster().kubeconfig);
});
afterEach(() => world.close());

const hashOf = (key: string): string => createHash("sha256").update(key).digest("hex");
const base64 = (text: string): string => Buffer.from(text).toString("base64");

async function putSource(value: string, key = "sha256"): Promise<void> {
  const source = { metadata: { name: "alerts-key", namespace: world.namespace }, data: { [key]: base64(value) } };
  const place = { name: "alerts-key", namespace: world.namespace };
  if (await world.client.find(secrets, place)) await world.client.patch(secrets, place, { data: source.data });
  else await world.client.create(secrets, source);
}

function findCopy({ metadata }: Automation): Promise<Secret | undefined> {
  return world.client.find(secrets, { namespace: world.keysNamespace, name: `automation-${metadata.uid!}` });
}

async function untilKey(reason: string): Promise<Automation> {
  const isSo = async (): Promise<boolean> => {
    return conditionOf(await world.automation("triage"), "KeyIssued")?.reason === reason;
  };
  await world.until(`the key is ${reason}`, isSo, 2_000);
  return world.automation("triage");
}

const withSource = { trigger: { type: "Webhook" as const, webhook: { keyHashSecretRef: { name: "alerts-key" } } } };

describe("a webhook automation", () => {
  it("is ready without a key, shows its path, and shows a key that was issued", async () => {
    const automation = await world.createAutomation("triage");
    await world.startOperator();
    const waiting = await untilKey("KeyNotIssued");
    expect(conditionOf(waiting, "Ready")).toMatchObject({ status: "True", observedGeneration: 1 });
    expect(waiting.status).toMatchObject({
      observedGeneration: 1,
      webhook: { path: `/webhooks/automation/${world.namespace}.triage` },
    });
    expect(waiting.status?.webhook).not.toHaveProperty("keyHint");

    await world.client.create(secrets, {
      metadata: { name: `automation-${automation.metadata.uid!}`, namespace: world.keysNamespace },
      data: { sha256: base64(hashOf("issued")) },
    });
    const issued = await untilKey("KeyIssued");
    expect(issued.status?.webhook?.keyHint).toBe(hashOf("issued").slice(0, 8));
  });

  it("has the hash that its Secret holds copied, and again when that changes", async () => {
    await putSource(`${hashOf("one")}\n`);
    const automation = await world.createAutomation("triage", withSource as never);
    const operator = await world.startOperator();
    await untilKey("KeyIssued");
    const copy = await findCopy(automation);
    expect(copy?.data).toEqual({ sha256: base64(hashOf("one")) });
    expect(copy?.metadata.labels).toEqual({
      "runwright.dev/automation-uid": automation.metadata.uid,
      "runwright.dev/automation-namespace": automation.metadata.namespace,
    });

    await putSource(hashOf("two"));
    await world.until(
      "the copy follows",
      async () => {
        return (await findCopy(automation))?.data?.sha256 === base64(hashOf("two"));
      },
      2_000,
    );
    await world.until(
      "the hint follows",
      async () => {
        return (await world.automation("triage")).status?.webhook?.keyHint === hashOf("two").slice(0, 8);
      },
      2_000,
    );
    await world.rest(operator);
    operator.writes.length = 0;
    world.clock.advance(180_000);
    await world.rest(operator);
    expect(operator.writes).toEqual([]);
  });

  it("has the signing secret that its Secret holds copied, and nothing of it when a hash takes its place", async () => {
    const secret = "0123456789abcdef";
    await putSource(`${secret}\n`, "signing-secret");
    const hmac = { preset: "github", secretRef: { name: "alerts-key" } };
    const trigger = { type: "Webhook", webhook: { authentication: { type: "HMAC", hmac } } };
    const automation = await world.createAutomation("triage", { trigger } as never);
    await world.startOperator();
    const ready = await untilKey("KeyIssued");
    expect((await findCopy(automation))?.data).toEqual({ "signing-secret": base64(secret) });
    expect(ready.status?.webhook).not.toHaveProperty("keyHint");
    expect(JSON.stringify(ready)).not.toContain(secret);

    await world.client.delete(secrets, { namespace: world.namespace, name: "alerts-key" });
    await putSource(hashOf("one"));
    const webhook = { authentication: null, keyHashSecretRef: { name: "alerts-key" } };
    const named = { namespace: world.namespace, name: "triage" };
    await world.client.patch(Automation, named, { spec: { trigger: { webhook } } });
    await world.until(
      "the hash takes the secret's place",
      async () => {
        const data = (await findCopy(automation))?.data ?? {};
        return data.sha256 === base64(hashOf("one")) && Object.keys(data).length === 1;
      },
      2_000,
    );
  });

  it.each([
    { name: "too short", value: "a".repeat(63), key: "sha256" },
    { name: "upper-case", value: "A".repeat(64), key: "sha256" },
    { name: "the key itself", value: "issued", key: "sha256" },
    { name: "under another data key", value: "a".repeat(64), key: "hash" },
  ])("refuses a hash that is $name and takes the copy away", async ({ value, key }) => {
    await putSource(hashOf("one"));
    const automation = await world.createAutomation("triage", withSource as never);
    await world.startOperator();
    await untilKey("KeyIssued");
    await world.client.delete(secrets, { namespace: world.namespace, name: "alerts-key" });
    await putSource(value, key);
    const refused = await untilKey("KeyInvalid");
    expect(conditionOf(refused, "Ready")).toMatchObject({ status: "False", reason: "KeyInvalid" });
    expect(conditionOf(refused, "Stalled")).toMatchObject({ status: "True", reason: "KeyInvalid" });
    expect(conditionOf(refused, "Ready")?.message).not.toContain(value);
    expect(await findCopy(automation)).toBeUndefined();
  });

  it("waits for a Secret that is not there yet, and drops the copy when it names none any more", async () => {
    const automation = await world.createAutomation("triage", withSource as never);
    await world.startOperator();
    const waiting = await untilKey("SecretNotFound");
    expect(conditionOf(waiting, "Ready")).toMatchObject({ status: "False", reason: "SecretNotFound" });
    expect(conditionOf(waiting, "Stalled")).toBeUndefined();
    await putSource(hashOf("one"));
    const ready = await untilKey("KeyIssued");
    expect(conditionOf(ready, "Ready")).toMatchObject({ status: "True" });
    await world.client.patch(
      Automation,
      { namespace: world.namespace, name: "triage" },
      { spec: { trigger: { webhook: { keyHashSecretRef: null } } } },
    );
    await untilKey("KeyNotIssued");
    expect(await findCopy(automation)).toBeUndefined();
  });
});

describe("many deliveries at once", () => {
  it("make at most one write a second of their automation", async () => {
    const automation = await world.createAutomation("triage");
    const operator = await world.startOperator();
    await untilKey("KeyNotIssued");
    await world.rest(operator);
    operator.writes.length = 0;
    const startMs = world.clock.monotonicMs();
    const runs = await Promise.all(Array.from({ length: 40 }, () => world.createDelivery(automation)));
    await world.until("all have started", async () => (await world.automation("triage")).status?.activeRuns === 40);
    await Promise.all(
      runs.map(async ({ metadata }) => {
        await world.untilPrompt(metadata.name!);
        await world.settlePrompt(`${metadata.name!}-0-1`, true, "Completed");
      }),
    );
    await world.until("all have ended", async () => (await world.automation("triage")).status?.activeRuns === 0);
    const seconds = Math.ceil((world.clock.monotonicMs() - startMs) / 1_000);
    const writes = operator.writes.filter((write) => write === "patch Automation/status").length;
    expect(writes).toBeGreaterThan(0);
    expect(writes).toBeLessThanOrEqual(seconds);
    expect(operator.writes.filter((write) => write === "patch Run/status")).toHaveLength(80);
    expect(operator.writes.filter((write) => write === "create Session")).toHaveLength(40);
  });
});

describe("history", () => {
  it("removes Runs beyond the limit and empties those whose key is remembered", async () => {
    const history = {
      successfulLimit: 1,
      failedLimit: 1,
      skippedLimit: 1,
      ttlSeconds: 3_600,
      idempotencySeconds: 7_200,
      idempotencyKeys: 10,
    };
    const automation = await world.createAutomation("triage", { history });
    const operator = await world.startOperator();
    const trigger = { type: "Webhook" as const, time: world.clock.now().toISOString(), payload: "{}" };
    const names: string[] = [];
    for (const key of ["k1", undefined, undefined]) {
      const run = await world.createRun(
        automation,
        { ...trigger, ...(key === undefined ? {} : { idempotencyKey: key }) },
        // As the ingress names Runs of deliveries with a key.
        key === undefined ? {} : { name: "triage-abcdefghijklmnopqrstuvwxyz" },
      );
      const name = run.metadata.name!;
      names.push(name);
      await world.untilPrompt(name);
      await world.settlePrompt(`${name}-0-1`, true, "Completed");
      await world.untilRun(name, "Completed");
      await world.rest(operator);
    }
    const [keyed, removed, kept] = names as [string, string, string];
    await world.until("history is pruned", async () => {
      return (await world.names(Run)).length === 2 && (await world.run(keyed)).spec.trigger.payload === undefined;
    });
    expect(await world.names(Run)).toEqual([keyed, kept].sort());
    expect(await world.findRun(removed)).toBeUndefined();
    await world.rest(operator);
    const emptied = await world.run(keyed);
    expect(emptied.spec.trigger).toEqual({ type: "Webhook", time: trigger.time });
    expect(emptied.status?.observedGeneration).toBe(emptied.metadata.generation);
    expect(conditionOf(emptied)).toMatchObject({ status: "True" });
    expect(await world.findSession(`${keyed}-0`)).toBeUndefined();
    expect(await world.names(Session)).toContain(`${kept}-0`);

    world.clock.advance(7_200_000);
    await world.until("all is forgotten", async () => (await world.names(Run)).length === 0);
  });
});
