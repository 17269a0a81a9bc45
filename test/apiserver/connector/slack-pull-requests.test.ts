import { randomUUID } from "node:crypto";

import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import { annotations, Integration, type IntegrationEvent, Session } from "../../../src/api/v1alpha1/index.ts";
import { requestOfPress } from "../../../src/connector/slack/pull-requests/decide.ts";
import { keyOf } from "../../../src/lib/resource.ts";
import { until } from "../../support/kube.ts";
import type { SlackMessage } from "../../support/slack-server.ts";
import { conditionOf } from "../../support/tenant-world.ts";
import { begin, makeChannelAutomation, nextChannel, onlyRun, say } from "./channel-world.ts";
import { makeGitHubIntegration } from "./github-world.ts";
import { killAfterEachStep } from "./killing.ts";
import { endPrompt, newBranch, openedByPerson, pullsOf } from "./pull-request-world.ts";
import {
  handled,
  makeSlackIntegration,
  mention,
  press,
  pressed,
  saidIn,
  sendSlack,
  subjectOf,
  watchSteps,
} from "./slack-world.ts";
import { type Connector, promptsOf, World } from "./world.ts";

let world: World;
let integration: Integration;
let github: Integration;
let places = 0;

beforeAll(async () => {
  world = await World.make();
  integration = await makeSlackIntegration(world);
  github = await makeGitHubIntegration(world, { pullRequests: "OnRequest" });
});
afterAll(() => world.close());
afterEach(() => {
  world.github.fault = undefined;
  world.slack.after = undefined;
  world.slack.ephemeral.splice(0);
});

interface Answered {
  branch: string;
  answer: SlackMessage;
  place: string;
  root: string;
}

/** A request whose agent has pushed a branch, with the answer as it is in Slack. */
async function answered(branch = newBranch(world)): Promise<Answered> {
  places += 1;
  const place = `C0P${places}`;
  const { event, root } = mention(world, "fix it", { channel: place });
  await handled(world, integration, event);
  const [prompt] = await promptsOf(world, subjectOf(root, place));
  await endPrompt(world, prompt!, { branch, summary: "Fixed." });
  await until("the answer is shown", () => saidIn(world, root, place).length === 2);
  const answer = saidIn(world, root, place).find(({ text }) => text.startsWith("Fixed."));
  return { branch, answer: answer!, place, root };
}

/** What the thread says of the pull request, once it does. */
async function saidOfPull({ place, root }: Pick<Answered, "place" | "root">): Promise<string> {
  const find = (): SlackMessage | undefined =>
    saidIn(world, root, place).find(({ text }) => text.startsWith("Pull request "));
  await until("the thread says so", () => find() !== undefined);
  return JSON.stringify(find()?.blocks);
}

const buttons = (message: SlackMessage): unknown[] => message.blocks?.filter(({ type }) => type === "actions") ?? [];
const reasonOf = (event: IntegrationEvent): string | undefined => conditionOf(event, "Succeeded")?.reason;
const noted = async (text: string): Promise<void> =>
  until(`the person reads ${text}`, () => world.slack.ephemeral.some((note) => note.text.includes(text)));

describe("with a connector", () => {
  let connector: Connector;
  beforeAll(async () => {
    connector = await world.startConnector();
  });
  afterEach(() => connector.proxy.decide(undefined));
  afterAll(() => Promise.all(world.connectors.splice(0).map((connector) => connector.close())));

  it("an answer whose branch has no pull request has a button that opens one", async () => {
    const asked = await answered();
    const { branch, answer, place, root } = asked;
    expect(buttons(answer)).toHaveLength(1);
    const event = await pressed(world, integration, answer);
    expect(reasonOf(event)).toBe("PullRequestOpened");
    const [pull, ...more] = pullsOf(world, branch);
    expect(more).toEqual([]);
    const url = `https://github.com/acme/api/pull/${String(pull?.number)}`;
    expect(await saidOfPull(asked)).toContain(
      `Pull request acme/api#${String(pull?.number)} is open as a draft: <${url}>`,
    );
    expect(world.slack.ephemeral).toEqual([]);
    const [prompt] = await promptsOf(world, subjectOf(root, place));
    expect(prompt?.metadata.annotations?.[annotations.pullRequestRequestedAt]).toBe(requestOfPress(event));

    // Once more, now that it is open.
    expect(reasonOf(await pressed(world, integration, answer))).toBe("PullRequestNotOpened");
    await noted(`acme/api#${String(pull?.number)} is open as a draft: ${url}`);
    expect(pullsOf(world, branch)).toHaveLength(1);
  });

  it("a double click opens one pull request and says so once", async () => {
    const { branch, answer, place, root } = await answered();
    const events = await Promise.all([1, 2].map(() => pressed(world, integration, answer)));
    expect(events.map(reasonOf).sort()).toEqual(["PullRequestNotOpened", "PullRequestOpened"]);
    await until("the thread says so", () => saidIn(world, root, place).length === 3);
    await until("the second one reads so", () => world.slack.ephemeral.length === 1);
    expect(pullsOf(world, branch)).toHaveLength(1);
  });

  it("an answer in the thread of an Automation's Run has the button, too", async () => {
    const place = nextChannel();
    const automation = await makeChannelAutomation(world, integration, {
      channels: [place],
      spec: { targets: [{ repositoryRef: { name: "api" } }] },
    });
    const { root } = await say(world, integration, place, "the login fails");
    const { prompt } = await begin(world, await onlyRun(world, automation), automation);
    const branch = newBranch(world);
    await endPrompt(world, prompt, { branch, summary: "Fixed." });
    await until("the answer is shown", () => saidIn(world, root, place).length === 1);
    const [answer] = saidIn(world, root, place);
    expect(reasonOf(await pressed(world, integration, answer!))).toBe("PullRequestOpened");
    expect(await saidOfPull({ place, root })).toContain("acme/api#");
    expect(pullsOf(world, branch)).toHaveLength(1);
  });

  it("a stranger's press asks for nothing", async () => {
    const { branch, answer, place, root } = await answered();
    const event = await pressed(world, integration, answer, { user: "U0EVE" });
    expect(reasonOf(event)).toBe("AccessDenied");
    await noted("not on the list");
    expect(world.slack.ephemeral.map(({ user }) => user)).toEqual(["U0EVE"]);
    expect(pullsOf(world, branch)).toEqual([]);
    const [prompt] = await promptsOf(world, subjectOf(root, place));
    expect(prompt?.metadata.annotations?.[annotations.pullRequestRequestedAt]).toBeUndefined();
  });

  it("a branch that is gone is said to the one who pressed", async () => {
    const { branch, answer } = await answered();
    world.github.branches.delete(`acme/api:${branch}`);
    expect(reasonOf(await pressed(world, integration, answer))).toBe("PullRequestNotOpened");
    await noted(`The pull request of ${branch} could not be opened.`);
  });

  it("one that a person opened meanwhile is adopted, and shown", async () => {
    const asked = await answered();
    const { branch, answer } = asked;
    const theirs = openedByPerson(world, branch);
    expect(reasonOf(await pressed(world, integration, answer))).toBe("PullRequestOpened");
    expect(await saidOfPull(asked)).toContain(`acme/api#${theirs.number} is open`);
  });

  it("a button whose session is gone says so", async () => {
    const { answer, place, root } = await answered();
    const { sessions } = await world.work(subjectOf(root, place));
    await world.client.delete(Session, keyOf(sessions[0]!));
    expect(reasonOf(await pressed(world, integration, answer))).toBe("PullRequestNotOpened");
    await noted("no longer known");
  });

  it.each([
    ["of a Conversation that there is not", { value: "slack-gone" }],
    ["of a post that there is not", { block: randomUUID() }],
  ])("a button %s says so", async (_name, forged) => {
    const { branch, answer } = await answered();
    expect(reasonOf(await pressed(world, integration, answer, forged))).toBe("PullRequestNotOpened");
    await noted("no longer known");
    expect(pullsOf(world, branch)).toEqual([]);
  });

  it("where no Integration opens any, an answer has no button, and an older button says why", async () => {
    const { answer, branch } = await answered();
    await world.client.patch(Integration, keyOf(github), { spec: { suspend: true } });
    try {
      await until("answers have no button", async () => buttons((await answered()).answer).length === 0);
      expect(reasonOf(await pressed(world, integration, answer))).toBe("PullRequestNotOpened");
      await noted("No Integration opens pull requests");
      expect(pullsOf(world, branch)).toEqual([]);
    } finally {
      await world.client.patch(Integration, keyOf(github), { spec: { suspend: null } });
    }
  });

  it.each([
    ["the request on the Prompt", /\/prompts\//],
    ["the post of the Conversation", /\/conversations\/.*\/status/],
    ["the end of the event", /\/integrationevents\/.*\/status/],
  ])("%s is written again where that failed, and nothing is done twice", async (_name, path) => {
    const asked = await answered();
    let failed = 0;
    connector.proxy.decide((request) => {
      if (failed > 0 || !request.isWrite || !path.test(request.path)) return undefined;
      failed += 1;
      return { kind: "answer", status: 500 };
    });
    expect(reasonOf(await pressed(world, integration, asked.answer))).toBe("PullRequestOpened");
    expect(await saidOfPull(asked)).toContain("acme/api#");
    expect(failed).toBe(1);
    expect(pullsOf(world, asked.branch)).toHaveLength(1);
    expect(saidIn(world, asked.root, asked.place)).toHaveLength(3);
  });

  it("a form that is no press of a button is not handled", async () => {
    const { answer } = await answered();
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const body = press(world, answer, { block: "not-a-post" });
    expect(await sendSlack(world, integration, body, { headers })).toMatchObject({ status: 200 });
  });
});

it("a connector that is killed after any step opens one pull request and says so once", async () => {
  const act = async (): Promise<object> => {
    const { branch, answer, place, root } = await answered();
    await pressed(world, integration, answer);
    await until("the thread says so", () => saidIn(world, root, place).length >= 3);
    await until("all is posted", async () =>
      ((await world.conversation(subjectOf(root, place)))?.status?.posts ?? []).every(
        ({ progress }) => progress === "Sent",
      ),
    );
    return { pulls: pullsOf(world, branch).length, said: saidIn(world, root, place).length };
  };
  const leader = await killAfterEachStep(world, {
    watch: (connector, onStep) => watchSteps(world, connector, onStep),
    act,
    want: { pulls: 1, said: 3 },
    least: 16,
  });
  await leader.close();
});
