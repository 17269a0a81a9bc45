import { randomBytes } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Automation, keySecretName, labels, Run, Session } from "../../../src/api/v1alpha1/index.ts";
import { orphanController } from "../../../src/controllers/orphans/controller.ts";
import { integrationInformers, kindInformers } from "../../../src/controllers/kind-informers.ts";
import { apiKeyBytes, hashApiKey, makeApiKey } from "../../../src/domain/keys.ts";
import { secrets } from "../../../src/kube/core-resources.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { systemRandom } from "../../../src/lib/random.ts";
import { testCluster } from "../../support/cluster.ts";
import { deliver, receipt, type Sent } from "../ingress/sender.ts";
import { type Intake, issueKey, startIntake } from "./intake.ts";
import { conditionOf, World } from "./world.ts";

const keySource = { trigger: { type: "Webhook" as const, webhook: { keyHashSecretRef: { name: "alerts-key" } } } };

let world: World;
let intake: Intake;
let closers: (() => Promise<unknown>)[];

beforeEach(async () => {
  world = await World.make(testCluster().kubeconfig);
  intake = await startIntake(world);
  closers = [() => world.close(), () => intake.close()];
});
afterEach(async () => {
  for (const close of closers.reverse()) await close();
});

/** What the ingress answers when nothing that it read before counts any more, as a second later. */
function send(key: string, body: object = {}): Promise<Sent> {
  intake.forget();
  return deliver(intake, { id: `${world.namespace}.triage`, key }, body);
}

async function remove(): Promise<void> {
  await world.client.delete(Automation, { namespace: world.namespace, name: "triage" });
}

describe("an Automation that is deleted", () => {
  it("is not there for senders any more, and its key is dead when another one takes its name", async () => {
    const automation = await world.createAutomation("triage");
    const key = await issueKey(world, automation);
    expect((await send(key, { idempotencyKey: "k" })).body).toEqual(receipt(1));
    await remove();
    expect((await send(key)).status).toBe(404);
    const again = await world.createAutomation("triage");
    expect((await send(key)).status).toBe(401);
    const fresh = await issueKey(world, again);
    expect((await send(key)).status).toBe(401);
    expect((await send(fresh, { idempotencyKey: "k" })).body).toEqual(receipt(1));
  });

  it("leaves its key alive for one of its name that takes the hash from the same Secret", async () => {
    const key = makeApiKey(randomBytes(apiKeyBytes));
    const source = { name: "alerts-key", namespace: world.namespace };
    await world.client.create(secrets, {
      metadata: source,
      data: { sha256: Buffer.from(hashApiKey(key)).toString("base64") },
    });
    await world.startOperator();
    const untilIssued = async (): Promise<void> => {
      const isIssued = async (): Promise<boolean> =>
        conditionOf(await world.automation("triage"), "KeyIssued")?.status === "True";
      await world.until("the hash is copied", isIssued, 2_000);
    };
    await world.createAutomation("triage", keySource as never);
    await untilIssued();
    expect((await send(key)).body).toEqual(receipt(1));
    await remove();
    expect((await send(key)).status).toBe(404);
    await world.createAutomation("triage", keySource as never);
    await untilIssued();
    expect((await send(key)).body).toEqual(receipt(1));
  });

  it("takes its Runs and what private namespaces hold of it with it, and nothing of another's", async () => {
    const { sessionsNamespace } = world.release;
    const [gone, kept] = [await world.createAutomation("triage"), await world.createAutomation("other")];
    for (const automation of [gone, kept]) await issueKey(world, automation);
    const operator = await world.startOperator();
    const [first, second] = [await world.createDelivery(gone), await world.createDelivery(kept)];
    for (const { metadata } of [first, second]) {
      await world.untilPrompt(metadata.name!);
      const session = (await world.findSession(`${metadata.name!}-0`))!;
      const bundle = { [labels.sessionUid]: session.metadata.uid! };
      await world.client.create(secrets, {
        metadata: { namespace: sessionsNamespace, name: session.metadata.uid!, labels: bundle },
      });
    }
    await world.rest(operator);
    await startCollector(sessionsNamespace);
    await remove();
    await world.until("its Run and its key are gone", async () => {
      const names = await Promise.all([secretsIn(world.keysNamespace), world.names(Run)]);
      return names.every((left) => left.length === 1);
    });
    expect(await secretsIn(world.keysNamespace)).toEqual([keySecretName(kept.metadata.uid!)]);
    expect(await world.names(Run)).toEqual([second.metadata.name]);
    // The garbage collector, which this control plane lacks, takes the Session of a Run that is gone.
    const { uid = "" } = (await world.findSession(`${first.metadata.name!}-0`))!.metadata;
    await world.client.delete(Session, { namespace: world.namespace, name: `${first.metadata.name!}-0` });
    await world.until("its bundle is gone", async () => !(await secretsIn(sessionsNamespace)).includes(uid));
    expect(await secretsIn(sessionsNamespace)).toHaveLength(1);
  });
});

/** The collector of what private namespaces hold, as it is in the controller process. */
async function startCollector(sessionsNamespace: string): Promise<void> {
  const { operatorClient: client, namespace, keysNamespace, clock } = world;
  const reads = { client, clock: systemClock, random: systemRandom };
  const informers = {
    ...kindInformers(reads, { namespace }),
    ...integrationInformers(reads, { namespaces: [namespace] }),
  };
  // It takes nothing that is younger than 5 minutes.
  clock.advance(360_000);
  const controller = orphanController({
    client,
    clock,
    random: systemRandom,
    informers,
    release: { keysNamespace, sessionsNamespace },
  });
  for (const informer of Object.values(informers)) informer.start();
  closers.push(
    () => Promise.all(Object.values(informers).map((informer) => informer.stop())),
    () => controller.stop(0),
  );
  await controller.start();
}

async function secretsIn(namespace: string): Promise<string[]> {
  const { items } = await world.client.list(secrets, { namespace });
  return items.map(({ metadata }) => metadata.name ?? "");
}
