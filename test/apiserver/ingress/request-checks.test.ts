import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { testApi } from "../../support/cluster.ts";
import { type Made, makeAutomation, setKey, patchAutomation, runsOf } from "./automations.ts";
import { type SendOptions, deliver, receipt } from "./sender.ts";
import { startWorld, type World } from "./world.ts";

const scheduled = { type: "Schedule", schedule: { cron: "0 9 * * *", timeZone: "UTC" } };
/** JSON of exactly so many bytes. */
const jsonOf = (bytes: number): string => `{"p":"${"x".repeat(bytes - 8)}"}`;
const anError = { error: expect.stringMatching(/.{5,}/) as string };

let world: World;
beforeAll(async () => (world = await startWorld()));
afterAll(() => world.close());

describe("order of checks", () => {
  let known: Made;
  let paused: Made;
  let schedule: Made;
  beforeAll(async () => {
    known = await makeAutomation(world);
    paused = await makeAutomation(world);
    await patchAutomation(paused, { spec: { suspend: true } });
    schedule = await makeAutomation(world, {}, scheduled);
  });

  const large = jsonOf(70_000);
  const none = { authorization: undefined };
  const wrong = { authorization: "Bearer wrong" };
  const text = { "content-type": "text/plain" };
  const cases: { name: string; to?: () => Made; id?: string; body?: string; options?: SendOptions; want: number }[] = [
    { name: "unknown id, no key", id: "nobody.nothing", options: { headers: none }, want: 401 },
    { name: "unknown id, any key", id: "nobody.nothing", options: { headers: wrong }, want: 404 },
    { name: "id of a schedule, any key", to: () => schedule, options: { headers: wrong }, want: 404 },
    { name: "id of a schedule, a key that was stored for it", to: () => schedule, want: 404 },
    { name: "id that is no id, any key", id: "nonsense", want: 404 },
    { name: "id that is no id, no key", id: "nonsense", options: { headers: none }, want: 401 },
    { name: "id that cannot be decoded, any key", id: "%E0%A4%A", want: 404 },
    { name: "id that cannot be decoded, no key", id: "%E0%A4%A", options: { headers: none }, want: 401 },
    { name: "id with a path in it", id: "a%2F..%2Fb.c", want: 404 },
    { name: "known id, no key, 70 KB", body: large, options: { headers: none }, want: 413 },
    { name: "known id, wrong key, 70 KB", body: large, options: { headers: wrong }, want: 413 },
    { name: "known id, wrong key, broken JSON", body: "{", options: { headers: wrong }, want: 401 },
    { name: "text/plain, no key", options: { headers: { ...text, ...none } }, want: 415 },
    { name: "text/plain, 70 KB", body: large, options: { headers: text }, want: 415 },
    { name: "GET, text/plain, no key", options: { method: "GET", headers: { ...text, ...none } }, want: 405 },
    { name: "paused, wrong key", to: () => paused, options: { headers: wrong }, want: 401 },
    { name: "paused, right key, broken JSON", to: () => paused, body: "{", want: 400 },
    { name: "paused, right key, JSON", to: () => paused, want: 200 },
    { name: "known, right key, JSON", want: 200 },
  ];
  it.each(cases)("$name: $want", async ({ to = () => known, id, body = "{}", options, want }) => {
    const made = to();
    const sent = await deliver(world.replica, id === undefined ? made : { ...made, id }, body, options);
    expect(sent.status).toBe(want);
    if (want !== 200) expect(sent.body).toEqual(anError);
    expect(sent.headers["runwright-delivery-id"]).toMatch(/^[a-z2-7]{26}$/);
  });

  it.each(["GET", "PUT", "PATCH", "DELETE", "OPTIONS"])("%s is refused with Allow", async (method) => {
    const sent = await deliver(world.replica, known, "", { method });
    expect(sent).toMatchObject({ status: 405, body: anError, headers: { allow: "POST" } });
  });

  it("HEAD is refused without a body", async () => {
    expect(await deliver(world.replica, known, "", { method: "HEAD" })).toMatchObject({ status: 405, body: undefined });
  });

  it.each([
    "/",
    "/webhooks/automation",
    "/webhooks/automation/",
    "/webhooks/automation/a.b/c",
    "/WEBHOOKS/automation/a.b",
  ])("there is nothing at %s", async (path) => {
    expect(await deliver(world.replica, known, "{}", { path })).toMatchObject({ status: 404, body: anError });
  });
});

describe("media type", () => {
  let made: Made;
  beforeAll(async () => (made = await makeAutomation(world)));

  it.each([
    ["application/json", 200],
    ["application/json; charset=utf-8", 200],
    ["application/json;charset=UTF-8", 200],
    ['APPLICATION/Json ; charset="utf-8"', 200],
    ["application/json; version=1; charset=utf-8", 200],
    ["application/json;", 200],
    ["application/json; charset=utf8", 200],
    ["application/cloudevents+json; charset=utf-8", 200],
    ["application/problem+json", 200],
    [undefined, 415],
    ["", 415],
    ["text/plain", 415],
    ["text/plain; x=application/json", 415],
    ["application/jsonl", 415],
    ["application/json+xml", 415],
    ["application/json, text/plain", 415],
    ["application/json; charset=iso-8859-1", 415],
    ["application/json; charset=utf-16", 415],
    ["application/json; charset=utf-8; charset=latin1", 415],
    ["application/x-www-form-urlencoded", 415],
  ])("%s: %i", async (contentType, want) => {
    const sent = await deliver(world.replica, made, "{}", { headers: { "content-type": contentType } });
    expect(sent.status).toBe(want);
  });

  it.each([
    ["identity", 200],
    ["Identity", 200],
    ["", 200],
    ["gzip", 415],
    ["br", 415],
    ["identity, gzip", 415],
  ])("Content-Encoding %j: %i", async (encoding, want) => {
    const sent = await deliver(world.replica, made, "{}", { headers: { "content-encoding": encoding } });
    expect(sent.status).toBe(want);
  });
});

describe("size", () => {
  let made: Made;
  beforeAll(async () => (made = await makeAutomation(world)));
  const accents = `{"status":"${"é".repeat(40_000)}"}`;

  it.each([
    { name: "65,535 bytes", body: jsonOf(65_535), want: 200 },
    { name: "65,536 bytes", body: jsonOf(65_536), want: 200 },
    { name: "65,537 bytes", body: jsonOf(65_537), want: 413 },
    { name: "80,013 bytes in 40,013 characters", body: accents, want: 413 },
    { name: "5 MB", body: jsonOf(5_000_000), want: 413 },
  ])("$name, declared and chunked: $want", async ({ body, want }) => {
    const declared = await deliver(world.replica, made, body);
    const chunked = await deliver(world.replica, made, body, { chunked: true });
    expect([declared.status, chunked.status]).toEqual([want, want]);
    if (want === 413) expect(chunked.body).toEqual({ error: expect.stringContaining("65,536") as string });
  });

  it("stores the body as it was received", async () => {
    const own = await makeAutomation(world);
    const body = ` {"b" : 1.50, "a":"\\u00e9",\n"a":"é", "n": 9007199254740993}`;
    expect((await deliver(world.replica, own, body)).body).toEqual(receipt(1));
    expect((await runsOf(own))[0]?.spec.trigger.payload).toBe(body);
  });
});

describe("authorization", () => {
  let made: Made;
  beforeAll(async () => (made = await makeAutomation(world)));

  const invalid = "Invalid API key";
  const missing = "Missing API key; send it as Authorization: Bearer <key>";
  it.each([
    { name: "Bearer", header: (key: string) => `Bearer ${key}`, want: 200 },
    { name: "bearer", header: (key: string) => `bearer ${key}`, want: 200 },
    { name: "BEARER and two blanks", header: (key: string) => `BEARER  ${key}`, want: 200 },
    { name: "a key in other case", header: (key: string) => `Bearer ${swapCase(key)}`, want: 401, error: invalid },
    { name: "a key and one character more", header: (key: string) => `Bearer ${key}x`, want: 401, error: invalid },
    { name: "a key and a second one", header: (key: string) => `Bearer ${key} ${key}`, want: 401, error: invalid },
    { name: "a character that no key has", header: () => "Bearer a!b", want: 401, error: invalid },
    { name: "a letter beyond ASCII", header: () => "Bearer \u00e9", want: 401, error: invalid },
    { name: "a bare key", header: (key: string) => key, want: 401 },
    { name: "Basic", header: (key: string) => `Basic ${key}`, want: 401 },
    { name: "Bearer without a key", header: () => "Bearer ", want: 401 },
    { name: "nothing", header: () => undefined, want: 401 },
    { name: "an empty header", header: () => "", want: 401 },
  ])("$name: $want", async ({ header, want, error = missing }) => {
    const sent = await deliver(world.replica, made, "{}", { headers: { authorization: header(made.key) } });
    expect(sent.status).toBe(want);
    if (want === 401) expect(sent).toMatchObject({ body: { error }, headers: { "www-authenticate": "Bearer" } });
  });

  it("takes a key of one automation at no other", async () => {
    const other = await makeAutomation(world);
    expect((await deliver(world.replica, { ...made, key: other.key }, {})).status).toBe(401);
  });

  it.each([
    { name: "as it should be", stored: {}, want: 200 },
    { name: "for another object", stored: { label: "another-uid" }, want: 401 },
    { name: "in upper case", stored: { hash: (hash: string) => hash.toUpperCase() }, want: 401 },
    { name: "cut short", stored: { hash: (hash: string) => hash.slice(1) }, want: 401 },
    { name: "as nothing", stored: { hash: () => "" }, want: 401 },
  ])("takes a key whose hash is stored $name: $want", async ({ stored, want }) => {
    const own = await makeAutomation(world);
    const key = await setKey(world, own.uid, stored);
    expect((await deliver(world.replica, { ...own, key }, {})).status).toBe(want);
  });

  it("refuses every key while none was made", async () => {
    const own = await makeAutomation(world);
    const path = `/api/v1/namespaces/${world.keysNamespace}/secrets/automation-${own.uid}`;
    expect((await testApi().send("DELETE", path)).status).toBe(200);
    expect((await deliver(world.replica, own, {})).status).toBe(401);
  });
});

function swapCase(text: string): string {
  return text.replace(/./g, (c) => (c === c.toLowerCase() ? c.toUpperCase() : c.toLowerCase()));
}
