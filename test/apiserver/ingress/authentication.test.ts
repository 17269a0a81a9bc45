import { createHmac } from "node:crypto";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { keySecretName, labels } from "../../../src/api/v1alpha1/index.ts";
import { testApi } from "../../support/cluster.ts";
import { type Made, makeAutomation, patchAutomation, runsOf } from "./automations.ts";
import { deliver, receipt, type SendOptions, type Sent } from "./sender.ts";
import { startWorld, type World, writesOf } from "./world.ts";

const secret = "0123456789abcdef0123456789abcdef";
const encoded = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
const anError = { error: expect.stringMatching(/.{5,}/) as string };

let world: World;
beforeAll(async () => {
  world = await startWorld(2);
});
afterAll(() => world.close());

/** Stores signing secrets as the gateway does. */
async function storeSecrets({ uid }: Made, ...secrets: string[]): Promise<void> {
  const [current = "", previous = ""] = secrets;
  await testApi().apply(`/api/v1/namespaces/${world.keysNamespace}/secrets/${keySecretName(uid)}`, {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: keySecretName(uid), labels: { [labels.automationUid]: uid } },
    stringData: { "signing-secret": current, "previous-signing-secret": previous },
  });
}

/** The headers with which a sender proves whose a body is. */
type Prove = (made: Made, body: string) => Record<string, string | undefined>;

interface Scheme {
  name: string;
  authentication: object;
  /** What is stored beside the hash of the key. */
  secrets: string[];
  right: Prove;
  wrong: Prove;
  challenge: string;
}

const hex = (text: string, by = secret): string => createHmac("sha256", by).update(text).digest("hex");
const standard = (body: string, id = "msg_1"): Record<string, string> => {
  // The clock of a replica stands still where its test has begun.
  const timestamp = String(Math.floor(world.replica.clock.now().getTime() / 1_000));
  const signature = createHmac("sha256", Buffer.alloc(32, 7)).update(`${id}.${timestamp}.${body}`).digest("base64");
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": `v1,${signature}` };
};

const schemes: Scheme[] = [
  {
    name: "Bearer",
    authentication: { type: "Bearer" },
    secrets: [],
    right: ({ key }) => ({ authorization: `Bearer ${key}` }),
    wrong: () => ({ authorization: "Bearer wrong" }),
    challenge: "Bearer",
  },
  {
    name: "Header",
    authentication: { type: "Header", header: { name: "X-Gitlab-Token" } },
    secrets: [],
    right: ({ key }) => ({ "x-gitlab-token": key }),
    wrong: () => ({ "x-gitlab-token": "wrong" }),
    challenge: 'Token header="x-gitlab-token"',
  },
  {
    name: "HMAC, GitHub",
    authentication: { type: "HMAC", hmac: { preset: "github" } },
    secrets: [secret],
    right: (_made, body) => ({ "x-hub-signature-256": `sha256=${hex(body)}` }),
    wrong: (_made, body) => ({ "x-hub-signature-256": `sha256=${hex(body, "another secret!!")}` }),
    challenge: 'HMAC-SHA256 header="x-hub-signature-256"',
  },
  {
    name: "HMAC, Standard Webhooks",
    authentication: { type: "HMAC", hmac: { preset: "standard-webhooks" } },
    secrets: [encoded],
    right: (_made, body) => standard(body),
    wrong: (_made, body) => standard(`${body} `),
    challenge: 'HMAC-SHA256 header="webhook-signature"',
  },
];

describe.each(schemes)("order of checks, $name", ({ authentication, secrets, right, wrong, challenge }) => {
  let known: Made;
  let paused: Made;
  let schedule: Made;
  beforeAll(async () => {
    known = await make();
    paused = await make();
    await patchAutomation(paused, { spec: { suspend: true } });
    schedule = await makeAutomation(world, {}, { type: "Schedule", schedule: { cron: "0 9 * * *", timeZone: "UTC" } });
  });
  async function make(): Promise<Made> {
    const made = await makeAutomation(world, { authentication });
    if (secrets.length > 0) await storeSecrets(made, ...secrets);
    return made;
  }
  const nothing: Prove = () => ({ authorization: undefined });
  const alone =
    (prove: Prove): Prove =>
    (made, body) => ({ authorization: undefined, ...prove(made, body) });
  const large = `{"p":"${"x".repeat(70_000)}"}`;
  const text = { "content-type": "text/plain" };
  const cases: {
    name: string;
    to?: () => Made;
    id?: string;
    body?: string;
    prove: Prove;
    headers?: object;
    want: number;
  }[] = [
    { name: "unknown id, no proof", id: "nobody.nothing", prove: nothing, want: 401 },
    { name: "unknown id, any proof", id: "nobody.nothing", prove: alone(wrong), want: 404 },
    { name: "id of a schedule, any proof", to: () => schedule, prove: alone(right), want: 404 },
    { name: "id that is no id, no proof", id: "nonsense", prove: nothing, want: 401 },
    { name: "id that is no id, any proof", id: "nonsense", prove: alone(right), want: 404 },
    { name: "no proof, broken JSON", body: "{", prove: nothing, want: 401 },
    { name: "wrong proof, broken JSON", body: "{", prove: alone(wrong), want: 401 },
    { name: "right proof, broken JSON", body: "{", prove: alone(right), want: 400 },
    { name: "no proof, too large", body: large, prove: nothing, want: 413 },
    { name: "right proof, too large", body: large, prove: alone(right), want: 413 },
    { name: "no proof, too large, not JSON by its type", body: large, prove: nothing, headers: text, want: 415 },
    { name: "unknown id, any proof, too large", id: "nobody.nothing", body: large, prove: alone(wrong), want: 413 },
    { name: "paused, wrong proof", to: () => paused, prove: alone(wrong), want: 401 },
    { name: "paused, right proof", to: () => paused, prove: alone(right), want: 200 },
    { name: "right proof", prove: alone(right), want: 200 },
    {
      name: "right proof, and a bearer's key of another",
      prove: right,
      headers: { authorization: "Bearer x" },
      want: 200,
    },
  ];

  it.each(cases)("$name: $want", async ({ to, id, body = "{}", prove, headers = {}, want }) => {
    // A bearer's own key is the proof there.
    const isBearer = challenge === "Bearer";
    const made = to?.() ?? known;
    const sent = await deliver(world.replica, id === undefined ? made : { ...made, id }, body, {
      headers: { ...(isBearer ? {} : headers), ...prove(made, body), ...(headers === text ? text : {}) },
    });
    expect(sent.status).toBe(want);
    if (want !== 200) expect(sent.body).toEqual(anError);
    if (want === 401) expect(sent.headers["www-authenticate"]).toBe(prove === nothing ? "Bearer" : challenge);
  });

  it("no proof never reads the API server", async () => {
    world.replica.forget();
    const before = world.replica.proxy.seen.filter(({ path }) => path.includes("/automations/")).length;
    await deliver(world.replica, known, "{}", { headers: nothing(known, "{}") });
    await deliver(world.replica, { ...known, id: "nobody.nothing" }, "{}", { headers: nothing(known, "{}") });
    expect(world.replica.proxy.seen.filter(({ path }) => path.includes("/automations/"))).toHaveLength(before);
  });

  it("takes 65,536 bytes and not one more, declared and chunked", async () => {
    for (const [bytes, want] of [
      [65_536, 200],
      [65_537, 413],
    ] as const) {
      const body = `{"p":"${"x".repeat(bytes - 8)}"}`;
      for (const chunked of [false, true]) {
        const sent = await deliver(world.replica, known, body, { headers: alone(right)(known, body), chunked });
        expect(sent.status).toBe(want);
      }
    }
  });

  it("refuses every proof while nothing is stored", async () => {
    const made = await make();
    const path = `/api/v1/namespaces/${world.keysNamespace}/secrets/${keySecretName(made.uid)}`;
    expect((await testApi().send("DELETE", path)).status).toBe(200);
    expect((await deliver(world.replica, made, "{}", { headers: alone(right)(made, "{}") })).status).toBe(401);
  });
});

it("counts refused proofs for the automation, and tells it nothing of what was sent", async () => {
  const made = await makeAutomation(world, { authentication: { type: "HMAC", hmac: { preset: "github" } } });
  await storeSecrets(made, secret);
  const headers = { authorization: undefined, "x-hub-signature-256": "sha256=planted" };
  expect(await deliver(world.replica, made, "{}", { headers })).toMatchObject({ status: 401 });
  expect(world.replica.answers.at(-1)).toMatchObject({ outcome: "WrongKey", automation: made.id });
  expect(JSON.stringify(world.replica.answers.at(-1))).not.toContain("planted");
});

it("takes signatures of the previous secret while both are stored, and of neither after the next", async () => {
  const made = await makeAutomation(world, { authentication: { type: "HMAC", hmac: { preset: "github" } } });
  const status = async (by: string): Promise<number> => {
    world.replica.forget();
    const headers = { authorization: undefined, "x-hub-signature-256": `sha256=${hex("{}", by)}` };
    return (await deliver(world.replica, made, "{}", { headers })).status;
  };
  const [first, second, third] = [
    "first-of-three-secrets",
    "second-of-three-secrets",
    "third-of-three-secrets",
  ] as const;
  await storeSecrets(made, second, first);
  expect([await status(first), await status(second)]).toEqual([200, 200]);
  await storeSecrets(made, third);
  expect([await status(first), await status(second), await status(third)]).toEqual([401, 401, 200]);
});

it("goes by the authentication that is set now", async () => {
  const made = await makeAutomation(world);
  expect((await deliver(world.replica, made, {})).body).toEqual(receipt(1));
  const webhook = { authentication: { type: "Header", header: { name: "X-My-Token" } } };
  await patchAutomation(made, { spec: { trigger: { webhook } } });
  world.replica.forget();
  expect((await deliver(world.replica, made, {})).status).toBe(401);
  const headers = { authorization: undefined, "x-my-token": made.key };
  expect((await deliver(world.replica, made, {}, { headers })).body).toEqual(receipt(1));
});

describe("idempotencyKeyFrom", () => {
  const send = async (
    made: Made,
    body: object,
    headers: SendOptions["headers"] = {},
    replica = 0,
  ): Promise<Sent["body"]> => (await deliver(world.replicas[replica]!, made, body, { headers })).body;

  it("a header: a repeat is skipped on every replica, whatever its body", async () => {
    const made = await makeAutomation(world, { idempotencyKeyFrom: { header: "X-GitHub-Delivery" } });
    const id = { "x-github-delivery": "72d3162e-cc78-11e3-81ab-4c9367dc0958" };
    expect(await send(made, { n: 1 }, id)).toEqual(receipt(1));
    expect(await send(made, { n: 2 }, id)).toEqual(receipt(0, 1));
    expect(await send(made, { n: 1 }, id, 1)).toEqual(receipt(0, 1));
    expect(await send(made, { n: 1 }, { "x-github-delivery": "other" })).toEqual(receipt(1));
    const keys = (await runsOf(made)).map(({ spec }) => spec.trigger.idempotencyKey);
    expect(keys.sort()).toEqual([id["x-github-delivery"], "other"].sort());
  });

  it("stores one Run where two replicas get the event at once", async () => {
    const made = await makeAutomation(world, { idempotencyKeyFrom: { paths: ["$.groupKey", "$.status"] } });
    const alert = { groupKey: "{}:{}", status: "firing" };
    const answers = await Promise.all([0, 1, 0, 1].map((replica) => send(made, alert, {}, replica)));
    expect(answers.filter((body) => (body as { triggered: number }).triggered === 1)).toHaveLength(1);
    expect(await runsOf(made)).toHaveLength(1);
    expect(await send(made, { ...alert, status: "resolved" })).toEqual(receipt(1));
  });

  it("does not read the body's idempotencyKey then", async () => {
    const made = await makeAutomation(world, { idempotencyKeyFrom: { header: "X-Event" } });
    const body = { idempotencyKey: "same" };
    expect([await send(made, body), await send(made, body)]).toEqual([receipt(1), receipt(1)]);
  });

  it.each([
    { name: "missing", body: { status: "firing" } },
    { name: "a number", body: { groupKey: 7, status: "firing" } },
    { name: "empty", body: { groupKey: "", status: "firing" } },
  ])("takes each delivery for an event of its own where a part is $name", async ({ body }) => {
    const made = await makeAutomation(world, { idempotencyKeyFrom: { paths: ["$.groupKey", "$.status"] } });
    expect([await send(made, body), await send(made, body)]).toEqual([receipt(1), receipt(1)]);
  });

  it("knows a repeat of a key that is too long, and tells it from one that begins like it", async () => {
    const made = await makeAutomation(world, { idempotencyKeyFrom: { paths: ["$.groupKey", "$.status"] } });
    const body = { groupKey: "k".repeat(4_097), status: "firing" };
    expect([await send(made, body), await send(made, body)]).toEqual([receipt(1), receipt(0, 1)]);
    expect(await send(made, { ...body, status: "resolved" })).toEqual(receipt(1));
  });

  it("stores a key of 4,096 characters of four bytes each", async () => {
    const made = await makeAutomation(world, { idempotencyKeyFrom: { paths: ["$.k"] } });
    const body = { k: "😀".repeat(4_096) };
    expect([await send(made, body), await send(made, body)]).toEqual([receipt(1), receipt(0, 1)]);
  });
});

it("writes nothing for requests without the right proof", async () => {
  const made = await makeAutomation(world, { authentication: { type: "Header", header: { name: "X-My-Token" } } });
  const before = writesOf(world.replica).length;
  for (const token of [undefined, "wrong"]) {
    await deliver(world.replica, made, {}, { headers: { authorization: undefined, "x-my-token": token } });
  }
  expect(writesOf(world.replica)).toHaveLength(before);
});
