import { afterAll, afterEach, beforeAll, expect, it } from "vitest";

import { Integration } from "../../../src/api/v1alpha1/index.ts";
import { reasonMeanings } from "../../../src/api/v1alpha1/reason-meanings.ts";
import { reasons } from "../../../src/api/v1alpha1/reasons.ts";
import { testApi } from "../../support/cluster.ts";
import { until } from "../../support/kube.ts";
import type { SlackFault } from "../../support/slack-server.ts";
import { conditionOf } from "../../support/tenant-world.ts";
import { envelope, handled, makeSlackIntegration, mention, sendSlack, subjectOf } from "./slack-world.ts";
import { promptsOf, World } from "./world.ts";

const sickToken = "xoxb-planted-sick-token";
let world: World;
let healthy: Integration;
let places = 0;

beforeAll(async () => {
  world = await World.make();
  healthy = await makeSlackIntegration(world);
  world.slack.otherTokens.add(sickToken);
  await testApi().apply(`/api/v1/namespaces/${world.namespace}/secrets/sick`, {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "sick" },
    stringData: { "bot-token": sickToken },
  });
  await world.startConnector();
});
afterAll(() => world.close());
afterEach(() => {
  world.slack.fault = undefined;
});

/** An Integration of which Slack answers every call with a fault, and a mention that it got. */
async function makeSick(fault: SlackFault) {
  places += 1;
  const place = `C0S${places}`;
  const spec = { credentialsSecretRef: { name: "sick" }, access: { channels: [place] } };
  const sick = await makeSlackIntegration(world, {}, spec);
  world.slack.fault = (_method, _channel, token) => (token === sickToken ? fault : undefined);
  const { event, root } = mention(world, "fix it", { channel: place });
  expect(await sendSlack(world, sick, envelope(world, event))).toMatchObject({ status: 200 });
  return { sick, subject: subjectOf(root, place) };
}

const readyOf = async ({ metadata: { namespace, name = "" } }: Integration) =>
  conditionOf(await world.client.get(Integration, { namespace, name }), "Ready");

it.each([
  { fault: "hang", reason: "ProviderUnavailable", said: "Slack gave no" },
  { fault: "drop", reason: "ProviderUnavailable", said: "Slack gave no" },
  { fault: "html", reason: "ProviderUnavailable", said: "not as documented" },
  { fault: "error", reason: "ProviderUnavailable", said: "with 500" },
  { fault: "redirect", reason: "ProviderUnavailable", said: "Slack" },
  { fault: "revoked", reason: "CredentialsRefused", said: "token_revoked" },
] as const)(
  "a Slack that answers so: $fault, shows as $reason with what to do; no other Integration waits, and the request is handled in the end",
  async ({ fault, reason, said }) => {
    const { sick, subject } = await makeSick(fault);
    expect((await handled(world, healthy, mention(world, "fix it").event)).status).toMatchObject({ triggered: 1 });
    await until("the Integration says so", async () => (await readyOf(sick))?.reason === reason);
    const ready = await readyOf(sick);
    expect(ready).toMatchObject({ status: "False" });
    expect(ready?.message).toContain(said);
    expect(ready?.message).toContain(reasonMeanings[reason].remedy);
    expect(ready?.message).not.toContain(sickToken);
    await until("an Event says so", () =>
      world.recorded.some(
        ({ regarding, ...event }) =>
          regarding.name === sick.metadata.name && event.reason === reason && event.type === "Warning",
      ),
    );
    expect(world.slack.leaked).toEqual([]);
    world.slack.fault = undefined;
    expect(await promptsOf(world, subject)).toHaveLength(1);
    await until("the Integration is in order", async () => (await readyOf(sick))?.reason === "Ready");
  },
);

it("a scope that the app lacks is a warning with what to do, until the app has it; the request is handled without", async () => {
  places += 1;
  const place = `C0S${places}`;
  const own = await makeSlackIntegration(world, {}, { access: { channels: [place] } });
  const warning = async () =>
    conditionOf(
      await world.client.get(Integration, { namespace: world.namespace, name: own.metadata.name ?? "" }),
      "ScopesMissing",
    );
  const ask = async (): Promise<void> => {
    const event = await handled(world, own, mention(world, "fix it", { channel: place }).event);
    expect(event.status).toMatchObject({ triggered: 1 });
  };
  world.slack.scopes.delete("users:read");
  await ask();
  await until("the Integration warns", async () => (await warning())?.reason === "ScopeMissing");
  expect((await warning())?.message).toBe(
    `The app lacks users:read, so Slack refuses what needs that scope. ${reasonMeanings.ScopeMissing.remedy}`,
  );
  expect(await readyOf(own)).toMatchObject({ status: "True" });
  await until("an Event says so", () =>
    world.recorded.some(
      ({ regarding, reason }) => regarding.name === own.metadata.name && reason === reasons.scopeMissing,
    ),
  );
  world.slack.scopes.add("users:read");
  await ask();
  await until("the Integration warns no more", async () => (await warning()) === undefined);
});

it("a Slack that refuses every call with 200 and ok: false shows in the conversation, with what to do and an Event", async () => {
  const { subject } = await makeSick("refuse");
  expect(await promptsOf(world, subject)).toHaveLength(1);
  await until("the conversation says so", async () => {
    const ready = conditionOf(await world.conversation(subject), "Ready");
    return ready?.reason === "PostsGivenUp" && ready.message.includes(reasonMeanings.PostsGivenUp.remedy);
  });
  const name = (await world.conversation(subject))?.metadata.name;
  await until("an Event says so", async () => {
    const path = `/apis/events.k8s.io/v1/namespaces/${world.namespace}/events`;
    const { body } = await testApi().send("GET", path);
    const { items } = body as { items: { reason: string; regarding: { name: string } }[] };
    return items.some(({ reason, regarding }) => reason === "PostsGivenUp" && regarding.name === name);
  });
});
