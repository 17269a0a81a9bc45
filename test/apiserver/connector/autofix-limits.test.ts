import { randomUUID } from "node:crypto";

import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import {
  type Autofix,
  type Integration,
  Integration as IntegrationKind,
  type IntegrationEvent,
  Prompt,
  PullRequest,
  Session,
} from "../../../src/api/v1alpha1/index.ts";
import { makePrompt } from "../../../src/domain/prompts/make-prompt.ts";
import { keyOf } from "../../../src/lib/resource.ts";
import { until } from "../../support/kube.ts";
import { handled, makeGitHubIntegration, saidAt } from "./github-world.ts";
import {
  commentOn,
  endPrompt,
  feedbackPrompts,
  makeSession,
  newBranch,
  type Opened,
  openPull,
  pullRequestsOf,
  pullRequestThat,
  pullsOf,
  push,
  reasonOf,
  statusOf,
} from "./pull-request-world.ts";
import { World } from "./world.ts";

const dayMs = 86_400_000;
let world: World;
let integration: Integration;

beforeAll(async () => {
  world = await World.make();
  integration = await makeGitHubIntegration(world, { pullRequests: "Ready", autofix: { mode: "Enabled" } });
  await world.startConnector();
});
afterAll(() => world.close());
afterEach(async () => {
  world.github.fault = undefined;
  expect(world.github.refused).toEqual([]);
  await set({ mode: "Enabled", attempts: "Limited", maxAttemptsPer24Hours: 30 });
});

/** Changes these settings of autofix. */
async function set(autofix: Autofix): Promise<void> {
  await world.known(await world.client.patch(IntegrationKind, keyOf(integration), { spec: { github: { autofix } } }));
}

const send = (what: { event: object; type: string }): Promise<IntegrationEvent> => handled(world, integration, what);

describe("attempts", () => {
  /** So many prompts were admitted, the oldest of them so long ago. */
  async function admit({ branch }: Opened, count: number, oldestMs = dayMs / 2): Promise<void> {
    const [pullRequest] = await pullRequestsOf(world, branch);
    const feedback = Array.from({ length: count }, (_, index) => ({
      id: randomUUID(),
      kind: "Comment" as const,
      objectID: 1_000_000 + index,
      eventUID: "u",
      admittedTime: new Date(Date.now() - (index === 0 ? oldestMs : 1_000)).toISOString(),
      promptName: "gone",
      progress: "Sent" as const,
    }));
    await world.client.patchStatus(PullRequest, pullRequest!, { ...pullRequest!.status, prompted: count, feedback });
  }

  it("are 30 in 24 hours: of two comments at 29 one is admitted, and the other stays skipped", async () => {
    const opened = await openPull(world);
    await admit(opened, 29);
    const sent = [commentOn(world, opened.number, "One."), commentOn(world, opened.number, "Two.")];
    const events = await Promise.all(sent.map(send));
    expect(events.map(reasonOf).sort()).toEqual(["AttemptLimit", "FeedbackQueued"]);
    const admitted = sent[events.findIndex((event) => reasonOf(event) === "FeedbackQueued")]!;
    expect(reasonOf(await send(admitted))).toBe("NothingToDo");
    await set({ mode: "Enabled", maxAttemptsPer24Hours: 40 });
    expect(reasonOf(await send(sent.find((one) => one !== admitted)!))).toBe("NothingToDo");
    expect(await feedbackPrompts(world, opened.session)).toHaveLength(1);
    expect((await statusOf(world, opened)).skips).toMatchObject([{ reason: "AttemptLimit" }]);
  });

  it("are of one pull request: another of the same session has its own", async () => {
    const opened = await openPull(world);
    await admit(opened, 30);
    const branch = newBranch(world);
    await push(world, opened.session, branch);
    await pullRequestThat(world, branch, "PullRequestOpened");
    const { number } = pullsOf(world, branch)[0]!;
    expect(reasonOf(await send(commentOn(world, number, "Fix it.")))).toBe("FeedbackQueued");
    expect(reasonOf(await send(commentOn(world, opened.number, "Fix it.")))).toBe("AttemptLimit");
  });

  it("that are older than 24 hours do not count", async () => {
    const opened = await openPull(world);
    await admit(opened, 30, dayMs + 1);
    expect(reasonOf(await send(commentOn(world, opened.number, "Fix it.")))).toBe("FeedbackQueued");
  });

  it.each<[string, Autofix]>([
    ["a cap raised to 40", { mode: "Enabled", maxAttemptsPer24Hours: 40 }],
    ["no cap", { mode: "Enabled", attempts: "Unlimited" }],
  ])("are more with %s", async (_name, autofix) => {
    const opened = await openPull(world);
    await admit(opened, 30);
    await set(autofix);
    expect(reasonOf(await send(commentOn(world, opened.number, "Fix it.")))).toBe("FeedbackQueued");
  });
});

describe("a session", () => {
  it("with 50 unfinished prompts takes none, with 49 it does", async () => {
    const opened = await openPull(world);
    const names = Array.from({ length: 50 }, (_, index) => `${opened.session.metadata.name ?? ""}-q${index}`);
    for (const name of names) await world.client.create(Prompt, makePrompt(opened.session, { name, text: "Wait." }));
    expect(reasonOf(await send(commentOn(world, opened.number, "Fix it.")))).toBe("QueueFull");
    await world.client.delete(Prompt, { namespace: world.namespace, name: names[0]! });
    const next = (): Promise<IntegrationEvent> => send(commentOn(world, opened.number, "Fix that."));
    await until("one is taken", async () => reasonOf(await next()) === "FeedbackQueued");
  });

  it("that has reached its cost limit takes none", async () => {
    const opened = await openPull(world);
    const condition = { type: "Ready", status: "False", reason: "CostLimitReached", message: "m" } as const;
    const lastTransitionTime = new Date().toISOString();
    await world.client.patchStatus(Session, await world.client.get(Session, keyOf(opened.session)), {
      conditions: [{ ...condition, lastTransitionTime }],
    });
    expect(reasonOf(await send(commentOn(world, opened.number, "Fix it.")))).toBe("CostLimitReached");
  });
});

describe("where GitHub is away", () => {
  it("feedback waits for it", async () => {
    const opened = await openPull(world);
    const failing = { left: 2 };
    world.github.fault = (route) => (route.includes("/permission") && failing.left-- > 0 ? "error" : undefined);
    expect(reasonOf(await send(commentOn(world, opened.number, "Fix it.")))).toBe("FeedbackQueued");
    expect(failing.left).toBeLessThan(0);
  });

  it("and feedback came before the pull request's number was stored, it waits for that", async () => {
    const branch = newBranch(world);
    const session = await makeSession(world);
    world.github.fault = (route) => (route.startsWith("POST /repos/acme/api/pulls") ? "lose" : undefined);
    await push(world, session, branch);
    await until("a call has failed", async () => (await pullRequestsOf(world, branch))[0]?.status?.tries === 1);
    world.github.fault = undefined;
    const { number } = pullsOf(world, branch)[0]!;
    expect(reasonOf(await send(commentOn(world, number, "Fix it.")))).toBe("FeedbackQueued");
    expect(await feedbackPrompts(world, session)).toHaveLength(1);
  });

  it("and an answer whose outcome is not known is looked for before it is posted again", async () => {
    const opened = await openPull(world);
    await send(commentOn(world, opened.number, "Fix it."));
    const [prompt] = await feedbackPrompts(world, opened.session);
    world.github.fault = (route) => (route.startsWith("POST /repos") ? "lose" : undefined);
    await endPrompt(world, prompt!, { branch: opened.branch, summary: "Fixed." });
    await until("a call has failed", async () => (await statusOf(world, opened)).feedback?.[0]?.tries === 1);
    world.github.fault = undefined;
    await until("it is noted", async () => (await statusOf(world, opened)).feedback?.[0]?.progress === "Sent");
    expect(saidAt(world, opened.number)).toHaveLength(1);
  });

  it("an answer that GitHub refuses is given up", async () => {
    const opened = await openPull(world);
    await send(commentOn(world, opened.number, "Fix it."));
    const [prompt] = await feedbackPrompts(world, opened.session);
    world.github.fault = (route) => (route.startsWith("POST /repos") ? "refuse" : undefined);
    await endPrompt(world, prompt!, { branch: opened.branch, summary: "Fixed." });
    await until("it is given up", async () => (await statusOf(world, opened)).feedback?.[0]?.progress === "GivenUp");
    expect((await statusOf(world, opened)).feedback?.[0]?.problem).toBe("GitHub answered create-comment with 403");
  });
});
