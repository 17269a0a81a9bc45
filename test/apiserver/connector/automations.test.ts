import { randomUUID } from "node:crypto";

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { Automation, type Integration, type IntegrationEvent, type Run } from "../../../src/api/v1alpha1/index.ts";
import { keyOf } from "../../../src/lib/resource.ts";
import { until } from "../../support/kube.ts";
import { conditionOf } from "../../support/tenant-world.ts";
import { handledByAutomations, issueOpened, makeAutomation, runsOf } from "./automation-world.ts";
import { comment, makeGitHubIntegration, openIssue, sendGitHub } from "./github-world.ts";
import { World } from "./world.ts";

let world: World;
let integration: Integration;

beforeAll(async () => {
  world = await World.make();
  await world.startConnector();
});
afterAll(() => world.close());
beforeEach(async () => {
  integration = await makeGitHubIntegration(world);
});
afterEach(() => {
  world.github.fault = undefined;
});

const writes = (): unknown[] => world.ingressProxy.seen.filter(({ isWrite }) => isWrite);

describe("an event", () => {
  it("starts the Run of each Automation that wants it, and of no other", async () => {
    const [one, two] = [await makeAutomation(world, integration), await makeAutomation(world, integration)];
    const other = await makeAutomation(world, integration, { labels: ["p1"] });
    const paused = await makeAutomation(world, integration, { spec: { suspend: true } });
    const event = await handledByAutomations(world, integration, issueOpened(world));
    const names = (await Promise.all([one, two].map((made) => runsOf(world, made)))).flat();
    expect(names).toHaveLength(2);
    expect(await runsOf(world, other)).toEqual([]);
    expect(await runsOf(world, paused)).toEqual([]);
    expect(event.status).toMatchObject({ triggered: 2, skipped: 0, steered: 0 });
    const { status, reason, message } = conditionOf(event, "Succeeded")!;
    expect({ status, reason }).toEqual({ status: "True", reason: "RunsStarted" });
    for (const { metadata } of names) expect(message).toContain(`Run ${metadata.name}`);
    expect(message).toContain(`${other.metadata.name}: no label of the event's is one of p1`);
    expect(message).toContain(`${paused.metadata.name}: The automation is paused by hand`);
  });

  it("becomes a Run with what the agent sees of it", async () => {
    const made = await makeAutomation(world, integration);
    const sent = issueOpened(world);
    const event = await handledByAutomations(world, integration, sent);
    const [run] = await runsOf(world, made);
    const { number } = sent.event.issue as { number: number };
    expect(run!.metadata.labels).toEqual({
      "runwright.dev/automation-uid": made.metadata.uid,
      "runwright.dev/automation": made.metadata.name,
    });
    expect(run!.spec).toEqual({
      automationRef: { name: made.metadata.name, uid: made.metadata.uid, generation: 1 },
      trigger: {
        type: "GitHub",
        time: event.spec.receivedTime,
        deliveryID: event.metadata.name,
        idempotencyKey: `repository 22 issue ${number} opened`,
        payload: event.spec.github?.occurrence?.details,
      },
    });
    expect(JSON.parse(run!.spec.trigger.payload ?? "")).toMatchObject({
      event: "IssueOpened",
      repository: "acme/api",
      by: "ann",
      issue: { number, title: "The login fails", labels: ["bug"] },
      description: "It says 500.",
    });
  });

  it("is stored by one write, and once however often it is delivered", async () => {
    const made = await makeAutomation(world, integration);
    const sent = issueOpened(world);
    const deliveryId = randomUUID();
    world.ingressProxy.seen.splice(0);
    await handledByAutomations(world, integration, sent, deliveryId);
    expect(writes()).toHaveLength(1);
    const again = await Promise.all(
      [1, 2].map(() => sendGitHub(world, integration, sent.event, { type: sent.type, deliveryId })),
    );
    for (const one of again) expect(one).toMatchObject({ status: 200, body: { triggered: 0, skipped: 1 } });
    expect(await runsOf(world, made)).toHaveLength(1);
  });

  it("that another delivery brought starts no second Run", async () => {
    const made = await makeAutomation(world, integration);
    const sent = issueOpened(world);
    await handledByAutomations(world, integration, sent);
    const second = await handledByAutomations(world, integration, sent);
    expect(second.status).toMatchObject({ triggered: 0, skipped: 1 });
    expect(conditionOf(second, "Succeeded")).toMatchObject({ status: "True", reason: "RunsThere" });
    expect(await runsOf(world, made)).toHaveLength(1);
  });

  it("that people ask by, too, does both", async () => {
    const made = await makeAutomation(world, integration, { events: ["IssueCommented"] });
    const number = openIssue(world);
    const { event, type } = comment(world, number, "@helper fix it");
    const issue = { number, title: "t", html_url: "u", labels: [], updated_at: "2026-05-04T10:15:00Z" };
    const said = { ...(event.comment as object), html_url: "u" };
    await handledByAutomations(world, integration, { type, event: { ...event, issue, comment: said } });
    expect(await runsOf(world, made)).toHaveLength(1);
    const all = await world.settled(integration);
    expect(all.map(({ spec }) => spec.github?.action).sort()).toEqual(["Asked", "Occurred"]);
    expect(
      conditionOf(
        all.find(({ spec }) => spec.github?.action === "Asked"),
        "Succeeded",
      )?.reason,
    ).toBe("SessionStarted");
  });
});

describe("an event that starts nothing", () => {
  const reasonOf = async (sent = issueOpened(world)): Promise<{ reason: string; message: string }> => {
    const { reason, message } = conditionOf(await handledByAutomations(world, integration, sent), "Succeeded")!;
    return { reason, message };
  };

  it.each([
    ["of a person who may not write", "bob", "bob may not write to acme/api"],
    ["of a bot", "dependabot[bot]", "dependabot[bot] is a bot, which actors must name"],
    ["of the App itself", "helper[bot]", "helper[bot] is the App itself"],
  ])("%s says so", async (_name, sender, message) => {
    const made = await makeAutomation(world, integration);
    expect(await reasonOf(issueOpened(world, { sender }))).toEqual({
      reason: "NotWanted",
      message: expect.stringContaining(`${made.metadata.name}: ${message}`) as string,
    });
    expect(await runsOf(world, made)).toEqual([]);
  });

  it("of a repository that the Integration does not name says so", async () => {
    await makeAutomation(world, integration);
    expect(await reasonOf(issueOpened(world, { repository: "acme/other" }))).toMatchObject({
      reason: "NotWanted",
      message: expect.stringContaining("acme/other is none of the Integration's github.repositories") as string,
    });
  });

  it("of another repository than the target says so", async () => {
    await world.makeRepository("web", "https://github.com/acme/web.git");
    await makeAutomation(world, integration, { spec: { targets: [{ repositoryRef: { name: "web" } }] } });
    expect((await reasonOf()).message).toContain("its target is Repository web, and the event is about acme/api");
  });

  it("where its writer's permission cannot be read waits for GitHub, and then starts its Run", async () => {
    const made = await makeAutomation(world, integration);
    const failing = { left: 2 };
    world.github.fault = (route) => (route.endsWith("/permission") && failing.left-- > 0 ? "error" : undefined);
    expect((await reasonOf()).reason).toBe("RunsStarted");
    expect(failing.left).toBeLessThan(0);
    expect(await runsOf(world, made)).toHaveLength(1);
  });

  it("where GitHub refuses to say who may write says so", async () => {
    const made = await makeAutomation(world, integration);
    world.github.fault = (route) => (route.endsWith("/permission") ? "refuse" : undefined);
    expect((await reasonOf()).reason).toBe("ProviderUnavailable");
    expect(await runsOf(world, made)).toEqual([]);
  });

  it("is asked for nothing where anyone may cause it", async () => {
    const made = await makeAutomation(world, integration, { from: "Anyone" });
    world.github.fault = (route) => (route.endsWith("/permission") ? "refuse" : undefined);
    expect((await reasonOf(issueOpened(world, { sender: "stranger" }))).reason).toBe("RunsStarted");
    expect(await runsOf(world, made)).toHaveLength(1);
  });
});

describe("Runs are as many as may be unfinished", () => {
  const sendOne = async (): Promise<string> => {
    const { type, event } = issueOpened(world);
    const deliveryId = randomUUID();
    await sendGitHub(world, integration, event, { type, deliveryId });
    return deliveryId;
  };
  const eventOf = async (deliveryId: string): Promise<IntegrationEvent> => {
    const found = (await world.events(integration)).find(({ spec }) => spec.deliveryID === deliveryId);
    return found!;
  };
  /** The controller's count, of which this Run is the newest. */
  const count = async (made: Automation, activeRuns: number, newest: Run): Promise<void> => {
    await world.client.patchStatus(Automation, await world.client.get<Automation>(Automation, keyOf(made)), {
      activeRuns,
      lastRun: lastRunOf(newest),
    });
  };
  const untilRuns = (made: Automation, runs: number): Promise<void> =>
    until(`there are ${runs} Runs`, async () => (await runsOf(world, made)).length === runs);

  it("events beyond wait in their order, ask GitHub nothing, and keep no other Automation from its Runs", async () => {
    const full = await makeAutomation(world, integration, { maxUnfinishedRuns: 2 });
    const other = await makeAutomation(world, integration, { from: "Anyone" });
    const known = new Set<string>();
    const newest = async (): Promise<Run> => {
      const found = (await runsOf(world, full)).find(({ metadata }) => !known.has(metadata.name ?? ""))!;
      known.add(found.metadata.name ?? "");
      return found;
    };
    let last: Run | undefined;
    for (let sent = 0; sent < 2; sent += 1) {
      await handledByAutomations(world, integration, issueOpened(world));
      last = await newest();
    }
    world.github.calls.splice(0);
    const waiting: string[] = [];
    for (let sent = 0; sent < 3; sent += 1) {
      waiting.push(await sendOne());
      await untilRuns(other, 3 + sent);
    }
    expect(await runsOf(world, full)).toHaveLength(2);
    expect(world.github.calls.filter((route) => route.endsWith("/permission"))).toEqual([]);

    for (const [at, deliveryId] of waiting.entries()) {
      await count(full, 1, last!);
      await untilRuns(full, 3 + at);
      last = await newest();
      await until("it is settled", async () => (await eventOf(deliveryId)).status?.settledTime !== undefined);
      expect((await eventOf(deliveryId)).status).toMatchObject({ triggered: 2 });
      const left = await Promise.all(waiting.slice(at + 1).map(eventOf));
      expect(left.map(({ status }) => status?.settledTime)).toEqual(left.map(() => undefined));
    }
    expect(await runsOf(world, other)).toHaveLength(5);
  });

  it("what GitHub does not say for one Automation keeps no other from its Run", async () => {
    const asking = await makeAutomation(world, integration);
    const other = await makeAutomation(world, integration, { from: "Anyone" });
    const away = { is: true };
    world.github.fault = (route) => (away.is && route.endsWith("/permission") ? "error" : undefined);
    const deliveryId = await sendOne();
    await untilRuns(other, 1);
    expect(await runsOf(world, asking)).toEqual([]);
    away.is = false;
    await untilRuns(asking, 1);
    await until("it is settled", async () => (await eventOf(deliveryId)).status?.settledTime !== undefined);
    expect((await eventOf(deliveryId)).status).toMatchObject({ triggered: 2, skipped: 0 });
    expect(await runsOf(world, other)).toHaveLength(1);
  });
});

function lastRunOf({ metadata: { name = "", creationTimestamp: time = "" } }: Run) {
  return { name, reason: "Completed", time };
}

describe("at the ingress", () => {
  const send = (sent = issueOpened(world)) => sendGitHub(world, integration, sent.event, { type: sent.type });

  it("an event that no Automation wants is dropped before any write", async () => {
    await makeAutomation(world, await makeGitHubIntegration(world));
    await makeAutomation(world, integration, { events: ["IssueLabeled"] });
    world.ingressProxy.seen.splice(0);
    expect(await send()).toMatchObject({ status: 200, body: { triggered: 0, skipped: 0 } });
    expect(writes()).toEqual([]);
  });

  it("an event is dropped after the last Automation that wants it was deleted", async () => {
    const made = await makeAutomation(world, integration);
    expect(await send()).toMatchObject({ body: { triggered: 1 } });
    await world.client.delete(Automation, keyOf(made));
    await until("the ingress knows", () => world.wantedEvents(integration).size === 0);
    expect(await send()).toMatchObject({ status: 200, body: { triggered: 0 } });
  });

  it.each([
    ["no issue", { issue: undefined }, 400],
    ["no repository", { repository: undefined }, 400],
    ["another installation", { installation: { id: 5 } }, 403],
  ])("an event of %s is refused", async (_name, change, status) => {
    await makeAutomation(world, integration);
    const { type, event } = issueOpened(world);
    world.ingressProxy.seen.splice(0);
    expect(await send({ type, event: { ...event, ...change } })).toMatchObject({ status });
    expect(writes()).toEqual([]);
  });
});
