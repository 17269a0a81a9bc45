import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import { type Integration, reasonMeanings } from "../../../src/api/v1alpha1/index.ts";
import { testApi } from "../../support/cluster.ts";
import { until } from "../../support/kube.ts";
import type { SlackFault } from "../../support/slack-server.ts";
import { homeOpened, openHome, readHome, untilShown } from "./home-world.ts";
import { ann, channel, handled, makeSlackIntegration, mention, saidIn, sendSlack, subjectOf } from "./slack-world.ts";
import { answerPrompt, type Connector, promptsOf, World } from "./world.ts";

const group = "S0DEV";
let world: World;
let integration: Integration;
let connector: Connector;
let people = 0;

beforeAll(async () => {
  world = await World.make();
  await world.makeRepository("web", "https://github.com/acme/web.git");
  integration = await makeSlackIntegration(
    world,
    {
      repositories: [{ name: "api" }, { name: "web" }, { name: "gone" }],
      rules: [
        { keyword: "R&D <@U1>", target: { repositoryRef: { name: "api" } } },
        { keyword: "old", target: { repositoryRef: { name: "gone" } } },
      ],
      channels: [
        { id: channel, target: { repositoryRef: { name: "web" } } },
        { id: "C0OTHER", target: { repositoryRef: { name: "api" } } },
      ],
    },
    { access: { users: [ann, "U0BEN"], channels: [channel], userGroups: [group] } },
  );
  world.slack.groups.set(group, ["U0DEV"]);
  connector = await world.startConnector();
});
afterAll(() => world.close());
afterEach(() => {
  world.slack.fault = undefined;
  world.slack.homes.isEnabled = true;
  expect(world.slack.refused).toEqual([]);
});

/** A person who may ask as a member of the channel. */
function nextPerson(): string {
  people += 1;
  return `U0P${people}`;
}

const writesOf = (seen: Connector["proxy"]["seen"]): string[] =>
  seen
    .filter(({ isWrite, path }) => isWrite && !path.includes("/leases") && !path.includes("/integrations/"))
    .map(({ method }) => method);

it("an opened home is one write of the ingress, and one of the connector that takes it away", async () => {
  world.ingressProxy.seen.splice(0);
  connector.proxy.seen.splice(0);
  await openHome(world, integration, nextPerson());
  expect(writesOf(world.ingressProxy.seen)).toEqual(["POST"]);
  expect(writesOf(connector.proxy.seen)).toEqual(["DELETE"]);
});

describe("what a person reads", () => {
  it("who may ask everywhere: how, for what, and by which words and channels", async () => {
    const home = await openHome(world, integration);
    expect(home).toContain("In a channel that the app is in, mention the app");
    expect(home).toContain("In a direct message to the app, write it without a mention.");
    expect(home).toContain("repository `api`, repository `web`.");
    expect(home).toContain("“R&amp;D &lt;@U1&gt;”: repository `api`");
    expect(home).toContain("<#C0OPS>: repository `web`");
    expect(home).toContain("<#C0OTHER>: repository `api`");
    expect(home).toContain("You have asked for nothing lately.");
    expect(home).not.toContain("gone");
  });

  it("a member of a user group on the list: the same", async () => {
    expect(await openHome(world, integration, "U0DEV")).toContain("In a direct message to the app");
  });

  it("a member of the workspace, where a channel is on the list: that channel, and what it is about", async () => {
    const home = await openHome(world, integration, nextPerson());
    expect(home).toContain("You may ask in these channels alone, and not in direct messages: <#C0OPS>.");
    expect(home).toContain("<#C0OPS>: repository `web`");
    expect(home).not.toContain("C0OTHER");
  });

  it.each([
    { name: "a person of another workspace", isOther: true, access: { channels: [channel] } },
    { name: "a person on no list", isOther: false, access: { users: ["U0BEN"], userGroups: [group] } },
    { name: "a person where all lists are empty", isOther: false, access: {} },
  ])("$name: whom to ask, and no repository", async ({ isOther, access }) => {
    const person = nextPerson();
    if (isOther) world.slack.otherTeams.set(person, "T0OTHER");
    const closed = await makeSlackIntegration(world, {}, { access });
    const home = await openHome(world, closed, person);
    expect(home).toContain("Ask the operator of Runwright to add you, or a channel that you are in.");
    expect(home).not.toContain("api");
  });

  it("own requests with their state and a link, and nothing of other people's", async () => {
    const own = mention(world, "fix the web");
    await handled(world, integration, own.event);
    await until("the session is told of", () => saidIn(world, own.root).length === 1);
    const other = mention(world, "fix it", { user: "U0BEN", channel: "C0OTHER" });
    await handled(world, integration, other.event);
    const [session] = (await world.work(subjectOf(own.root))).sessions;
    const link = `<https://runwright.example.com/sessions/${world.namespace}.${session?.metadata.name ?? ""}|Open the session>`;
    const before = await openHome(world, integration);
    expect(before).toMatch(/repository `web`, in <#C0OPS>, <!date\^\d+\^[^>]*>: waiting for a sandbox\./);
    expect(before).toContain(link);
    expect(await openHome(world, integration, "U0BEN")).toContain("in <#C0OTHER>");
    expect(before).not.toContain("in <#C0OTHER>");
    const [prompt] = await promptsOf(world, subjectOf(own.root));
    await answerPrompt(world, prompt!, "Done it.");
    await until("the answer is there", () => saidIn(world, own.root).length === 2);
    expect(await openHome(world, integration)).toMatch(/repository `web`, in <#C0OPS>, .*: done\./);
  });
});

describe("an opened home", () => {
  it("that is delivered again after it was handled changes nothing that the person sees", async () => {
    const person = nextPerson();
    await openHome(world, integration, person);
    const body = homeOpened(world, person);
    await sendSlack(world, integration, body);
    await untilShown(world, integration);
    const seen = world.slack.homes.views.get(person);
    await sendSlack(world, integration, body);
    await untilShown(world, integration);
    expect(world.slack.homes.views.get(person)).toEqual(seen);
  });

  it("is taken away in the end where the API server fails to do so at first", async () => {
    const person = nextPerson();
    connector.proxy.inject(
      { kind: "answer", status: 500 },
      { matches: ({ method, path }) => method === "DELETE" && path.includes("/integrationevents/") },
    );
    expect(await openHome(world, integration, person)).toContain("How to ask");
  });

  it("of a view that Slack refuses waits for nothing, and an Event says what to do; later the view is there", async () => {
    const person = nextPerson();
    world.slack.homes.isEnabled = false;
    expect(await openHome(world, integration, person)).toBe("");
    await until("an Event says so", async () => {
      const path = `/apis/events.k8s.io/v1/namespaces/${world.namespace}/events`;
      const { body } = await testApi().send("GET", path);
      const { items } = body as { items: { reason: string; note: string; regarding: { name: string } }[] };
      return items.some(
        ({ reason, note, regarding }) =>
          reason === "HomeViewRefused" &&
          note.includes("not_enabled") &&
          note.includes(reasonMeanings.HomeViewRefused.remedy) &&
          regarding.name === integration.metadata.name,
      );
    });
    world.slack.homes.isEnabled = true;
    expect(await openHome(world, integration, person)).toContain("How to ask");
  });

  it.each<SlackFault>(["drop", "html", "error", "throttle"])("waits for a Slack that answers so: %s", async (fault) => {
    const person = nextPerson();
    let faults = 0;
    world.slack.fault = (method) => {
      if (method !== "views.publish" || faults === 2) return undefined;
      faults += 1;
      return fault;
    };
    expect(await openHome(world, integration, person)).toContain("How to ask");
    expect(faults).toBe(2);
  });

  it("whose answer was lost leaves the view that was published", async () => {
    const person = nextPerson();
    await openHome(world, integration, person);
    let isLost = false;
    world.slack.fault = (method) => {
      if (method !== "views.publish" || isLost) return undefined;
      isLost = true;
      return "lose";
    };
    await openHome(world, integration, person);
    expect(world.slack.homes.published.filter((one) => one === person)).toHaveLength(2);
  });

  it("waits with those of other people while Slack wants fewer calls", async () => {
    const person = nextPerson();
    const calledMs: number[] = [];
    world.slack.fault = (method) => {
      if (method !== "views.publish") return undefined;
      calledMs.push(performance.now());
      return calledMs.length === 1 ? "throttle" : undefined;
    };
    await sendSlack(world, integration, homeOpened(world, person));
    await until("Slack was asked", () => calledMs.length === 1);
    expect(await openHome(world, integration, nextPerson())).toContain("How to ask");
    expect(readHome(world, person)).toContain("How to ask");
    const [first = 0, second = 0] = calledMs;
    expect(calledMs).toHaveLength(3);
    // Slack said one second.
    expect(second - first).toBeGreaterThanOrEqual(1_000);
  });
});
