import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { labels } from "../../../../src/api/v1alpha1/index.ts";
import { makeNamespace } from "../../../support/cluster.ts";
import { type Answer, openPeopleWorld, ours, type PeopleWorld } from "../../../support/people-world.ts";
import { change, create, eventually } from "../../../support/runtime-world.ts";

let people: PeopleWorld;
/** Of a person who may list everywhere. */
let everywhere: string;
/** A namespace with 26 automations. */
let full: string;

beforeAll(async () => {
  people = await openPeopleWorld();
  const rights = [ours("automations", "get", "list"), ours("runs", "list")];
  everywhere = await people.caller(rights, "everywhere");
  full = await makeNamespace("full");
  const names = Array.from({ length: 26 }, (_, index) => `a${index}`);
  for (const name of names) await people.makeAutomation({ namespace: full, name });
  await eventually("all are listed", async () => (await list({ namespace: full, limit: "100" })).ids.length === 26);
});
afterAll(() => people.close());

interface Listed {
  answer: Answer;
  ids: string[];
  next: string | null;
}

async function list(query: Record<string, string>, path = "/automations"): Promise<Listed> {
  const answer = await people.send(`${path}?${new URLSearchParams(query).toString()}`, { token: everywhere });
  const { automations, invocations, nextCursor } = answer.body;
  const entries = (automations ?? invocations ?? []) as { id: string }[];
  return { answer, ids: entries.map(({ id }) => id), next: nextCursor as string | null };
}

const badLimits = ["0", "101", "-1", "2.5", "abc", "", " 1", "1e1"];

describe("the list of automations", () => {
  it("comes in pages of 25", async () => {
    const first = await list({ namespace: full });
    const second = await list({ namespace: full, cursor: first.next ?? "" });
    expect([first.ids.length, first.answer.body.hasMore]).toEqual([25, true]);
    expect([second.ids.length, second.answer.body.hasMore, second.next]).toEqual([1, false, null]);
    expect(new Set([...first.ids, ...second.ids]).size).toBe(26);
  });

  it.each([
    { limit: "1", want: 1 },
    { limit: "26", want: 26 },
    { limit: "100", want: 26 },
    { limit: "007", want: 7 },
  ])("has $want entries with limit $limit", async ({ limit, want }) => {
    expect((await list({ namespace: full, limit })).ids).toHaveLength(want);
  });

  it.each([
    ...badLimits.map((limit) => ({ limit })),
    { cursor: "nonsense" },
    { cursor: "1.a" },
    { namespace: "No" },
    { namespace: "" },
    { search: "x".repeat(201) },
  ])("is refused for %j", async (query) => {
    const { answer } = await list({ namespace: full, ...query });
    expect([answer.status, answer.body.code]).toEqual([400, "InvalidRequest"]);
    expect(answer.body.error).toContain(Object.keys(query)[0]);
  });

  it.each(["limit=1&limit=2", "search=a&search=b", "cursor=&cursor="])("is refused for %s", async (query) => {
    const answer = await people.send(`/automations?namespace=${full}&${query}`, { token: everywhere });
    expect([answer.status, answer.body.error]).toEqual([400, expect.stringMatching(/must be given once/)]);
  });

  it("ignores parameters that it does not know, and an empty cursor", async () => {
    expect((await list({ namespace: full, cursor: "", color: "red" })).ids).toHaveLength(25);
  });

  it("searches names and display names by their letters alone, whatever the case", async () => {
    const namespace = await makeNamespace("search");
    const displayNames = ["Half 50% off", "50 percent", "Größe\\n", "x".repeat(200)];
    for (const [at, displayName] of displayNames.entries()) {
      await people.makeAutomation({ namespace, name: `found-${"abcd"[at]!}`, spec: { displayName } });
    }
    const names = async (search: string): Promise<unknown[]> => {
      const { answer } = await list({ namespace, search });
      return (answer.body.automations as { name: string }[]).map(({ name }) => name).sort();
    };
    await eventually("all are listed", async () => (await names("")).length === 4);
    expect(await names("50%")).toEqual(["Half 50% off"]);
    expect(await names("  50 ")).toEqual(["50 percent", "Half 50% off"]);
    expect(await names("GRÖSSE")).toEqual([]);
    expect(await names("GRÖ")).toEqual(["Größe\\n"]);
    expect(await names("\\n")).toEqual(["Größe\\n"]);
    expect(await names("x".repeat(200))).toEqual(["x".repeat(200)]);
    expect(await names("𝄞".repeat(200))).toEqual([]);
    expect(await names("Found-B")).toEqual(["50 percent"]);
  });

  it("of all namespaces is for those who may list everywhere", async () => {
    expect((await list({ limit: "1" })).answer.status).toBe(200);
    const { status, body } = await people.send("/automations");
    expect([status, body.code]).toEqual([403, "Forbidden"]);
    expect((await people.send(`/automations?namespace=${people.world.tenant}`)).status).toBe(200);
    expect((await people.send(`/automations?namespace=${full}`)).status).toBe(403);
  });

  it("never shows instructions, which one automation's own answer does", async () => {
    const { answer } = await list({ namespace: full });
    expect(JSON.stringify(answer.body)).not.toContain("Do it.");
    const one = await people.send(`/automations/${full}.a1`, { token: everywhere });
    expect(one.body.automation).toMatchObject({
      id: `${full}.a1`,
      name: "a1",
      instructions: "Do it.",
      triggerType: "webhook",
      webhookUrl: `https://hooks.example.com/webhooks/automation/${full}.a1`,
      enabled: true,
      status: "enabled",
      pauseReason: null,
    });
  });
});

describe("the list of invocations", () => {
  async function makeRuns(count: number): Promise<string> {
    const { id, name, uid } = await people.makeAutomation();
    for (let made = 0; made < count; made += 1) await makeRun(name, uid, `${name}-r${made}`);
    return id;
  }

  async function makeRun(automation: string, uid: string, name: string): Promise<string> {
    const path = `/apis/runwright.dev/v1alpha1/namespaces/${people.world.tenant}/runs`;
    await create(path, {
      apiVersion: "runwright.dev/v1alpha1",
      kind: "Run",
      metadata: { name, labels: { [labels.automationUid]: uid } },
      spec: {
        automationRef: { name: automation },
        trigger: {
          type: "Webhook",
          time: "2026-05-04T10:00:00Z",
          deliveryID: "d-1",
          idempotencyKey: "planted-key",
          payload: '{"planted":"payload"}',
        },
      },
    });
    return `${path}/${name}`;
  }

  it("comes in pages of 20, at most 100, and loses nothing between them", async () => {
    const path = `/automations/${await makeRuns(21)}/invocations`;
    const first = await list({}, path);
    const second = await list({ cursor: first.next ?? "" }, path);
    expect([first.ids.length, second.ids.length, second.next]).toEqual([20, 1, null]);
    expect(new Set([...first.ids, ...second.ids]).size).toBe(21);
    expect((await list({ limit: "100" }, path)).ids).toHaveLength(21);
  });

  it.each([...badLimits.map((limit) => ({ limit })), { cursor: "1.a" }, { cursor: "1.2.UP" }])(
    "is refused for %j",
    async (query) => {
      const { answer } = await list(query, `/automations/${full}.a1/invocations`);
      expect([answer.status, answer.body.code]).toEqual([400, "InvalidRequest"]);
    },
  );

  it("shows what came of each in the product's words, and nothing that a sender sent", async () => {
    const { id, name, uid } = await people.makeAutomation();
    const run = await makeRun(name, uid, `${name}-r`);
    const at = "2026-05-04T12:00:00Z";
    const condition = { status: "False", reason: "ExecutionTimeout", message: "Too long", lastTransitionTime: at };
    await change(`${run}/status`, {
      status: {
        startTime: "2026-05-04T10:00:01Z",
        completionTime: at,
        sessions: [{ name: "s", target: "Repository/shop", reason: "ExecutionTimeout" }],
        conditions: [
          { type: "Succeeded", ...condition },
          { type: "Stalled", ...condition, status: "True" },
        ],
      },
    });
    const { answer } = await list({}, `/automations/${id}/invocations`);
    expect(answer.body.invocations).toMatchObject([
      {
        id: `${name}-r`,
        automationId: id,
        source: "event",
        status: "failed",
        failureReason: "execution_timeout",
        skipReason: null,
        deliveryId: "d-1",
        startedAt: Date.parse("2026-05-04T10:00:01Z"),
        completedAt: Date.parse(at),
        runs: [{ id: "s", target: "Repository/shop", state: "failed", failureReason: "execution_timeout" }],
      },
    ]);
    expect(JSON.stringify(answer.body)).not.toContain("planted");
  });

  it("is of the automation that has the name now", async () => {
    const { name } = await people.makeAutomation();
    const { id } = { id: `${people.world.tenant}.${name}` };
    await makeRun(name, "another-uid", `${name}-old`);
    expect((await list({}, `/automations/${id}/invocations`)).ids).toEqual([]);
  });
});
