import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { Prompt, type Session } from "../../../../src/api/v1alpha1/index.ts";
import { testCluster } from "../../../support/cluster.ts";
import { type Answer, openPeopleWorld, ours, type PeopleWorld, type Sent } from "../../../support/people-world.ts";
import { eventually, find } from "../../../support/runtime-world.ts";
import { World } from "../../session/world.ts";

let people: PeopleWorld;
let world: World;
let token: string;
let session: Session;
let made = 0;

beforeAll(async () => {
  people = await openPeopleWorld();
  world = await World.make(testCluster().kubeconfig);
  await world.startOperator();
  const prompts = ours("prompts", "get", "list", "create", "patch");
  token = await people.caller([ours("sessions", "get", "list"), prompts], "everywhere");
});
beforeEach(async () => {
  made += 1;
  session = await world.createSession(`fix${made}`);
});
afterAll(async () => {
  await world.close();
  await people.close();
});

const path = (rest = ""): string => `/sessions/${world.namespace}.${session.metadata.name!}${rest}`;

/** While the controllers' time goes on. */
async function send(to: string, sent: Sent = {}): Promise<Answer> {
  let answer: Answer | undefined;
  const sending = people.send(to, { token, ...sent }).then((came) => (answer = came));
  await world.until(`${to} is answered`, () => answer !== undefined);
  return sending;
}

const post = (to: string, body?: object): Promise<Answer> =>
  send(to, { method: "POST", ...(body ? { body: JSON.stringify(body) } : {}) });
const ask = (text: string, more: object = {}): Promise<Answer> => post(path("/prompts"), { text, ...more });
const idOf = ({ body }: Answer): string => (body.prompt as { id: string }).id;
const full = {
  status: 429,
  body: { code: "QueueFull", error: "A session may have at most 50 unfinished prompts" },
};

async function stored(): Promise<Prompt[]> {
  const { items } = await world.client.list<Prompt>(Prompt, { namespace: world.namespace });
  return items.filter(({ spec }) => spec.sessionRef.name === session.metadata.name);
}

async function fill(count: number): Promise<void> {
  const name = session.metadata.name!;
  await Promise.all(Array.from({ length: count }, (_, index) => world.createPrompt(session, index)));
  await world.untilSession(name, `${count} in line`, ({ queue }) => queue?.length === count);
}

describe("a prompt", () => {
  it("is taken, goes with its session, names who asked, and can be read", async () => {
    const answer = await ask("Now run\nthe tests.");
    expect(answer).toMatchObject({ status: 201, body: { prompt: { status: "pending", text: "Now run\nthe tests." } } });
    const [prompt] = await stored();
    expect(prompt?.metadata.ownerReferences?.[0]?.uid).toBe(session.metadata.uid);
    expect(prompt?.metadata.annotations?.["runwright.dev/requested-by"]).toMatch(/^system:serviceaccount:/);
    const one = {
      id: idOf(answer),
      sessionId: path().slice("/sessions/".length),
      status: "pending",
      completedAt: null,
    };
    expect(await send(path(`/prompts/${idOf(answer)}`))).toMatchObject({
      status: 200,
      body: { prompt: { ...one, text: "Now run\nthe tests." } },
    });
    const { body } = await send(path("/prompts"));
    expect(body).toMatchObject({ prompts: [one], hasMore: false, nextCursor: null });
    expect(JSON.stringify(body)).not.toContain("the tests");
    expect((await send(path())).body.session).toMatchObject({
      status: "active",
      unfinishedPrompts: 1,
      endedPrompts: 0,
    });
    await eventually("it is noted", async () => {
      const events = await find(`/apis/events.k8s.io/v1/namespaces/${world.namespace}/events`);
      const { items } = events as unknown as { items: { regarding: { uid: string }; note: string }[] };
      return items.some(
        ({ regarding, note }) =>
          regarding.uid === session.metadata.uid && note.endsWith(`asked it Prompt ${idOf(answer)}`),
      );
    });
  });

  it.each([
    ["of 64,000 characters is taken", "𝄞".repeat(64_000), 201],
    ["of 64,001 characters is refused", "𝄞".repeat(64_001), 400],
    ["of none is refused", "", 400],
    ["of space is refused", " \n ", 400],
  ])("%s", async (_, text, status) => {
    const answer = await ask(text);
    expect([answer.status, (await stored()).length]).toEqual([status, status === 201 ? 1 : 0]);
    if (status === 400) expect(answer.body.error).toContain("text");
  });

  it("that is asked for again under its request id is the same one, and another is a conflict", async () => {
    const first = await ask("Go on.", { clientRequestId: "r1" });
    expect(idOf(await ask("Go on.", { clientRequestId: "r1" }))).toBe(idOf(first));
    expect(await ask("Go back.", { clientRequestId: "r1" })).toMatchObject({
      status: 409,
      body: { code: "RequestConflict" },
    });
    const other = await people.caller([ours("prompts", "create")], "everywhere");
    const body = JSON.stringify({ text: "Go on.", clientRequestId: "r1" });
    expect((await send(path("/prompts"), { method: "POST", token: other, body })).status).toBe(409);
    expect(await stored()).toHaveLength(1);
    expect(idOf(await ask("Go on.", { clientRequestId: "r2" }))).not.toBe(idOf(first));
  });
});

describe("a full queue", () => {
  it("takes the fiftieth prompt, refuses one more and stores nothing of it, and takes one again when one has ended", async () => {
    await fill(49);
    const last = await ask("The fiftieth.", { clientRequestId: "last" });
    expect(last.status).toBe(201);
    expect(await ask("One more.")).toMatchObject(full);
    expect(await stored()).toHaveLength(50);
    expect(idOf(await ask("The fiftieth.", { clientRequestId: "last" }))).toBe(idOf(last));
    const cancelled = await post(path(`/prompts/${idOf(last)}/cancel`));
    expect(cancelled).toMatchObject({ status: 200, body: { prompt: { status: "cancelled" } } });
    expect((await ask("One more.")).status).toBe(201);
  });

  it("frees the request id of a prompt that was stored and refused", async () => {
    const again = (number: number): Promise<Answer> => ask(`Prompt ${number}.`, { clientRequestId: `r${number}` });
    const answers = await Promise.all(Array.from({ length: 60 }, (_, number) => again(number)));
    const isRefused = ({ status }: Prompt): boolean =>
      status?.conditions?.some(({ reason }) => reason === "QueueFull") ?? false;
    const refused = (await stored()).filter(isRefused);
    const number = Number(/\d+/.exec(refused[0]!.spec.text)![0]);
    expect(await again(number)).toMatchObject(full);
    const taken = answers.find(({ status }) => status === 201)!;
    await post(path(`/prompts/${idOf(taken)}/cancel`));
    const answer = await again(number);
    expect(answer.status).toBe(201);
    expect(idOf(await again(number))).toBe(idOf(answer));
  });

  it("takes exactly 50 of 60 that come at once", async () => {
    const answers = await Promise.all(Array.from({ length: 60 }, (_, index) => ask(`Prompt ${index}.`)));
    const byStatus = Map.groupBy(answers, ({ status }) => status);
    expect([byStatus.get(201)?.length, byStatus.get(429)?.length]).toEqual([50, 10]);
    for (const answer of byStatus.get(429) ?? []) expect(answer).toMatchObject(full);
  });
});

describe("what is processed", () => {
  it("is stopped, and the next one goes on", async () => {
    const name = session.metadata.name!;
    for (const index of [0, 1]) await world.createPrompt(session, index);
    await world.bringUp(session);
    await world.untilSession(name, "dispatched", ({ currentPrompt }) => currentPrompt?.name === `${name}-0`);
    const stopped = await post(path("/stop"));
    expect(stopped).toMatchObject({ status: 200, body: { prompt: { id: `${name}-0`, status: "cancelled" } } });
    await world.untilSession(name, "dispatched", ({ currentPrompt }) => currentPrompt?.name === `${name}-1`);
    await world.settlePrompt(`${name}-1`, true, "Completed", { summary: "Done." });
    await world.untilSession(name, "ended", ({ queue }) => queue === undefined);
    expect(await send(path(`/prompts/${name}-1`))).toMatchObject({
      body: { prompt: { status: "completed", failureReason: null, result: { summary: "Done." } } },
    });
    expect((await send(path())).body.session).toMatchObject({ status: "idle", endedPrompts: 2, currentPrompt: null });
    expect(await post(path("/stop"))).toEqual(expect.objectContaining({ status: 200, body: { prompt: null } }));
    const again = await post(path(`/prompts/${name}-1/cancel`));
    expect(again).toMatchObject({ status: 200, body: { prompt: { status: "completed" } } });
  });
});

describe("what is unfinished", () => {
  it("is cancelled as a whole, and the session takes further prompts", async () => {
    const name = session.metadata.name!;
    for (const index of [0, 1, 2]) await world.createPrompt(session, index);
    await world.bringUp(session);
    await world.untilSession(name, "dispatched", ({ currentPrompt }) => currentPrompt?.name === `${name}-0`);
    const { status, body } = await post(path("/cancel"));
    const prompts = body.prompts as { id: string; status: string; message: string }[];
    expect([status, ...prompts.map((one) => `${one.id} ${one.status}`)]).toEqual([
      200,
      ...[2, 1, 0].map((index) => `${name}-${index} cancelled`),
    ]);
    expect(prompts.map(({ message }) => message)).toEqual([
      "cancelled before it began",
      "cancelled before it began",
      expect.stringContaining("while it was processed"),
    ]);
    expect(await post(path("/cancel"))).toMatchObject({ status: 200, body: { prompts: [] } });
    expect(await ask("Go on.")).toMatchObject({ status: 201, body: { prompt: { status: "pending" } } });
  });
});

describe("rights", () => {
  const get = ours("sessions", "get");
  it.each([
    { to: "", method: "GET", needs: [get] },
    { to: "/stop", method: "POST", needs: [get, ours("prompts", "patch")] },
    { to: "/cancel", method: "POST", needs: [get, ours("prompts", "list"), ours("prompts", "patch")] },
    { to: "/prompts", method: "GET", needs: [get, ours("prompts", "list")] },
    { to: "/prompts", method: "POST", needs: [ours("prompts", "create")] },
    { to: "/prompts/one", method: "GET", needs: [ours("prompts", "get")] },
    { to: "/prompts/one/cancel", method: "POST", needs: [ours("prompts", "patch")] },
    {
      to: "/prompts/one/pull-request",
      method: "GET",
      needs: [ours("prompts", "get"), ours("pullrequests", "list")],
    },
    {
      to: "/prompts/one/pull-request",
      method: "POST",
      needs: [ours("prompts", "patch"), ours("pullrequests", "list")],
    },
  ] as const)(
    "$method $to needs every one of its own, and then says what is not there",
    async ({ to, method, needs }) => {
      const asked = { method, ...(to === "/prompts" && method === "POST" ? { body: '{"text":"Go on."}' } : {}) };
      for (const missing of needs) {
        const some = await people.caller(
          needs.filter((rule) => rule !== missing),
          "everywhere",
        );
        expect(await people.send(path(to), { ...asked, token: some })).toMatchObject({ status: 403 });
      }
      const all = await people.caller(needs, "everywhere");
      const nowhere = `/sessions/${world.namespace}.nowhere${to}`;
      expect(await people.send(nowhere, { ...asked, token: all })).toMatchObject({
        status: 404,
        body: { code: "NotFound" },
      });
      expect((await people.send(path(to), { ...asked, token: "" })).status).toBe(401);
    },
  );

  it("to list sessions are of a namespace or of all", async () => {
    const { name = "" } = session.metadata;
    await eventually("it is listed", async () => {
      const { body } = await people.send(`/sessions?namespace=${world.namespace}&limit=100`, { token });
      return (body.sessions as { name: string }[]).some((one) => one.name === name);
    });
    const stranger = await people.caller([]);
    expect((await people.send("/sessions", { token: stranger })).status).toBe(403);
    expect((await people.send("/sessions?limit=1", { token })).body).toMatchObject({ hasMore: true });
  });
});
