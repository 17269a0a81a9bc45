import { createHmac } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { afterAll, afterEach, beforeAll, expect, it } from "vitest";

import { testApi } from "../../support/cluster.ts";
import { type Made, makeAutomation, patchAutomation } from "./automations.ts";
import { type KeyWorld, openKeyWorld } from "./key-world.ts";
import { deliver, receipt } from "./sender.ts";
import { freezeWatch } from "./world.ts";

let keyWorld: KeyWorld;
let release: KeyWorld["release"];
let gateway: KeyWorld["gateway"];
let proxy: KeyWorld["proxy"];
let world: KeyWorld["world"];

beforeAll(async () => {
  keyWorld = await openKeyWorld(2);
  ({ release, gateway, proxy, world } = keyWorld);
});
afterEach(() => proxy.decide(undefined));
afterAll(() => keyWorld.close());

/** What `kubectl runwright key create` and `regenerate` give. */
async function key(action: "create" | "regenerate", automation: Made, serviceAccount?: string): Promise<string> {
  const argv = ["key", action, `${automation.namespace}/${automation.name}`];
  return ((await keyWorld.runKey(argv, serviceAccount)) as { webhookApiKey: string }).webhookApiKey;
}

async function makeKeyless(webhook: object = {}): Promise<Made> {
  const made = await makeAutomation(world, webhook);
  const path = `/api/v1/namespaces/${world.keysNamespace}/secrets/automation-${made.uid}`;
  expect((await testApi().send("DELETE", path)).status).toBe(200);
  return { ...made, key: "" };
}

it("creates the first key, which both replicas take, and no second one", async () => {
  const made = await makeKeyless();
  const withKey = { ...made, key: await key("create", made) };
  for (const replica of world.replicas) expect((await deliver(replica, withKey, {})).body).toEqual(receipt(1));
  await expect(key("create", made)).rejects.toThrow("key regenerate");
  expect((await deliver(world.replica, withKey, {})).body).toEqual(receipt(1));
});

it("kills the old key on both replicas before the command returns, one watch frozen", async () => {
  const made = await makeKeyless();
  const old = { ...made, key: await key("create", made) };
  await freezeWatch(world.replicas[1]!);
  // The gateway's wait and the age of reads are measured against each other.
  for (const { clock } of world.replicas) clock.run();
  let isOver = false;
  // The old key is used all the time, so that reads of its hash are always under way.
  const senders = world.replicas.map(async (replica) => {
    while (!isOver) await deliver(replica, old, {});
  });
  const fresh = { ...made, key: await key("regenerate", made) };
  const answers = await Promise.all(
    world.replicas.flatMap((replica) => Array.from({ length: 10 }, () => deliver(replica, old, {}))),
  );
  for (const { clock } of world.replicas) clock.stop();
  isOver = true;
  await Promise.all(senders);
  // A replica that could not read in time takes no key at all.
  expect(answers.filter(({ status }) => status !== 401 && status !== 503)).toEqual([]);
  for (const replica of world.replicas) {
    replica.forget();
    expect((await deliver(replica, old, {})).status).toBe(401);
    expect((await deliver(replica, fresh, {})).body).toEqual(receipt(1));
  }
});

it("refuses a caller who may not create keys, and says how to get the right", async () => {
  const made = await makeAutomation(world);
  await expect(key("regenerate", made, "sandbox")).rejects.toThrow(/automations\/key/);
  expect((await deliver(world.replica, made, {})).status).toBe(200);
});

it("says so where there is no such automation", async () => {
  const made = await makeAutomation(world);
  await expect(key("create", { ...made, name: "nobody" })).rejects.toThrow("nobody");
});

const token = { type: "Header", header: { name: "X-Gitlab-Token" } };
it("creates a token for a header, and replaces it at once", async () => {
  const made = await makeKeyless({ authentication: token });
  const send = async (sent: string): Promise<number> => {
    for (const replica of world.replicas) replica.forget();
    const headers = { authorization: undefined, "x-gitlab-token": sent };
    return (await deliver(world.replica, made, {}, { headers })).status;
  };
  const first = await key("create", made);
  expect(await send(first)).toBe(200);
  const second = await key("regenerate", made);
  expect([await send(first), await send(second)]).toEqual([401, 200]);
});

/** The status of a webhook's delivery that a secret signed as GitHub does. */
async function signedStatus(made: Made, secret: string): Promise<number> {
  for (const replica of world.replicas) replica.forget();
  const signature = `sha256=${createHmac("sha256", secret).update("{}").digest("hex")}`;
  const headers = { authorization: undefined, "x-hub-signature-256": signature };
  return (await deliver(world.replica, made, "{}", { headers })).status;
}

const github = { authentication: { type: "HMAC", hmac: { preset: "github" } } };
it("creates a signing secret in the place of a key, and no second one; replaces it at once; takes the sender's own", async () => {
  const made = await makeAutomation(world);
  await patchAutomation(made, { spec: { trigger: { webhook: github } } });
  const first = await key("create", made);
  expect(await signedStatus(made, first)).toBe(200);
  await expect(key("create", made)).rejects.toThrow("key regenerate");
  const second = await key("regenerate", made);
  expect([await signedStatus(made, first), await signedStatus(made, second)]).toEqual([401, 200]);
  const own = "a-secret-of-the-sender's";
  const address = { webhookUrl: expect.stringMatching(`/webhooks/automation/${made.id}$`) as string };
  expect(await setSecret(made, own, "--keep-previous")).toMatchObject(address);
  expect([await signedStatus(made, second), await signedStatus(made, own)]).toEqual([200, 200]);
  const third = await key("regenerate", made);
  expect([await signedStatus(made, second), await signedStatus(made, own), await signedStatus(made, third)]).toEqual([
    401, 401, 200,
  ]);
  // Nothing of the key is left that the secret took the place of.
  await patchAutomation(made, { spec: { trigger: { webhook: { authentication: null } } } });
  for (const replica of world.replicas) replica.forget();
  expect((await deliver(world.replica, made, {})).status).toBe(401);
});

it("makes and takes secrets of Standard Webhooks in their form only", async () => {
  const made = await makeKeyless({ authentication: { type: "HMAC", hmac: { preset: "standard-webhooks" } } });
  expect(await key("create", made)).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  await expect(setSecret(made, "s".repeat(32))).rejects.toThrow(/secret: must be whsec_/);
  await setSecret(made, `whsec_${Buffer.alloc(24).toString("base64")}`);
});

it("leaves a secret alone that comes from a Secret", async () => {
  const hmac = { preset: "github", secretRef: { name: "hook" } };
  const made = await makeKeyless({ authentication: { type: "HMAC", hmac } });
  await expect(key("create", made)).rejects.toThrow(/authentication\.hmac\.secretRef/);
  await expect(setSecret(made, "s".repeat(16))).rejects.toThrow(/authentication\.hmac\.secretRef/);
});

/** Makes an automation of an error tracker that has no secret yet. */
async function makeTracker(): Promise<Made> {
  const made = await makeAutomation(world, {}, { type: "ErrorTracker", errorTracker: { events: ["IssueCreated"] } });
  const path = `/api/v1/namespaces/${world.keysNamespace}/secrets/automation-${made.uid}`;
  expect((await testApi().send("DELETE", path)).status).toBe(200);
  return made;
}

async function setSecret(automation: Made, secret: string, ...flags: string[]): Promise<unknown> {
  const file = join(release.directory, "signing-secret");
  await writeFile(file, secret);
  return keyWorld.runKey(["key", "set", `${automation.namespace}/${automation.name}`, "-f", file, ...flags]);
}

/** The status of a delivery of a new issue that the secret signed. */
async function statusOf(to: Made, secret: string): Promise<number> {
  const body = JSON.stringify({ action: "created", data: { issue: { id: "1" } } });
  const headers = { "sentry-hook-signature": createHmac("sha256", secret).update(body).digest("hex") };
  for (const replica of world.replicas) replica.forget();
  return (await deliver(world.replica, to, body, { headers, path: `/webhooks/error-tracker/${to.id}` })).status;
}

it("sets the secret of an error tracker; the one before ends at once, or stays for one change", async () => {
  const made = await makeTracker();
  // The shortest secret, one between, and the longest.
  const [first, second, third] = ["a".repeat(16), "b".repeat(64), "c".repeat(256)] as const;
  expect(await statusOf(made, first)).toBe(503);
  const address = { webhookUrl: expect.stringMatching(`/webhooks/error-tracker/${made.id}$`) as string };
  // Files end with a line break, secrets do not.
  expect(await setSecret(made, `${first}\n`)).toMatchObject(address);
  expect(await statusOf(made, first)).toBe(200);
  await setSecret(made, second, "--keep-previous");
  expect([await statusOf(made, first), await statusOf(made, second)]).toEqual([200, 200]);
  await setSecret(made, third);
  const statuses = [await statusOf(made, first), await statusOf(made, second), await statusOf(made, third)];
  expect(statuses).toEqual([401, 401, 200]);
});

it("refuses a secret that cannot be one, and automations that are not signed for", async () => {
  const made = await makeTracker();
  await expect(setSecret(made, "fifteen-letters")).rejects.toThrow(/secret.*16 to 256 printable ASCII/);
  await expect(setSecret(made, `${"a".repeat(16)} b`)).rejects.toThrow(/16 to 256 printable ASCII/);
  await expect(setSecret(made, "a".repeat(257))).rejects.toThrow(/16 to 256 printable ASCII/);
  await expect(setSecret(await makeAutomation(world), "a".repeat(16))).rejects.toThrow(
    /not signed; only trigger type ErrorTracker/,
  );
  expect(await statusOf(made, "fifteen-letters")).toBe(503);
});

it("leaves the secret that is valid where the new one cannot be stored, and says so", async () => {
  const made = await makeTracker();
  const [valid, wanted] = ["a".repeat(16), "b".repeat(16)] as const;
  await setSecret(made, valid);
  proxy.decide(({ isWrite, path }) =>
    isWrite && path.includes(`/secrets/automation-${made.uid}`) ? { kind: "answer", status: 403 } : undefined,
  );
  await expect(setSecret(made, wanted)).rejects.toThrow("key set");
  expect([await statusOf(made, valid), await statusOf(made, wanted)]).toEqual([200, 401]);
});

it("repeats no secret, taken or refused, in answers, errors, logs and Events", async () => {
  const made = await makeTracker();
  const said: string[] = [];
  for (const secret of ["s3cret-short", "s3cret with blanks in it", "s3cret-of-the-tracker"]) {
    said.push(await setSecret(made, secret).then(JSON.stringify, String));
  }
  const { body } = await testApi().send("GET", `/apis/events.k8s.io/v1/namespaces/${release.tenant}/events`);
  expect(said).toHaveLength(3);
  expect([...said, JSON.stringify(body), ...gateway.logs].join("\n")).not.toContain("s3cret");
});
