import { AxeBuilder } from "@axe-core/playwright";
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { annotations, Prompt, PullRequest, Repository, Session } from "../../src/api/v1alpha1/index.ts";
import type { KubeClient } from "../../src/kube/client.ts";
import { keyOf } from "../../src/lib/resource.ts";
import { testCluster } from "../support/cluster.ts";
import { clientOf } from "../support/kube.ts";
import { ours } from "../support/people-world.ts";
import {
  openedAsDraft,
  storeEndedPrompt,
  storeOpeningIntegration,
  storePullRequest,
} from "../support/pushed-branches.ts";
import { eventually } from "../support/runtime-world.ts";
import { press } from "./keyboard.ts";
import { editRules, openWebWorld, viewRules, type WebWorld } from "./world.ts";

let world: WebWorld;
let kube: ReturnType<typeof clientOf>;
let client: KubeClient;
let editor: string;
let viewer: string;
let made = 0;

beforeAll(async () => {
  world = await openWebWorld();
  kube = clientOf({ file: testCluster().kubeconfig });
  ({ client } = kube);
  await storeOpeningIntegration(client, world.people.world.tenant);
  [editor, viewer] = [await world.people.caller(editRules), await world.people.caller(viewRules)];
});
afterAll(async () => {
  await kube.close();
  await world.close();
});

interface Pushed {
  session: Session;
  prompt: Prompt;
  path: string;
}

async function push(branch: string, repository = "api"): Promise<Pushed> {
  made += 1;
  const namespace = world.people.world.tenant;
  const spec = { target: { repositoryRefs: [{ name: repository }] }, serviceAccountName: "sandbox" } as Session["spec"];
  const session = await client.create(Session, { metadata: { name: `push-${made}`, namespace }, spec });
  const prompt = await storeEndedPrompt(client, session, { name: `push-${made}-1`, branch });
  return { session, prompt, path: `/sessions/${namespace}.push-${made}` };
}

const asked = ({ prompt }: Pushed): Promise<string> =>
  eventually("it is asked for", async () => {
    const { metadata } = await client.get(Prompt, keyOf(prompt));
    return metadata.annotations?.[annotations.pullRequestRequestedAt];
  });
const requests = /\/pull-request$/;
const button = (page: Page, name: string): Locator => page.getByRole("button", { name, exact: true });

async function show(token: string, { path }: Pushed): Promise<Page> {
  const page = await world.signIn(token);
  await page.goto(path);
  return page;
}

async function expectClean(page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  expect(violations.map(({ id, nodes }) => [id, nodes[0]?.html])).toEqual([]);
}

describe("a person who may", () => {
  it("opens one with the keyboard, and then reads its state", async () => {
    const pushed = await push("fix-1");
    const page = await show(editor, pushed);
    await page.getByText("no pull request").waitFor();
    await expectClean(page);
    await press(page, "Open pull request (branch fix-1)");
    const requestedAt = await asked(pushed);
    await page.getByText("not done yet").waitFor();
    await expectClean(page);
    const status = { ...openedAsDraft, requestedAt };
    const opened = { head: "fix-1", reason: "PullRequestOpened", status } as const;
    const stored = await storePullRequest(client, pushed.session, opened);
    const link = page.getByRole("link", { name: "acme/api#17" });
    await link.waitFor();
    expect(await link.getAttribute("href")).toBe(openedAsDraft.url);
    expect(await page.getByText("not done yet").count()).toBe(0);
    await expectClean(page);
    await button(page, "Read its state (branch fix-1)").click();
    const later = await eventually("it is asked for again", async () => {
      const now = await asked(pushed);
      return now === requestedAt ? undefined : now;
    });
    await client.patchStatus(PullRequest, stored, { ...stored.status, requestedAt: later, githubState: "Merged" });
    await page.getByText("merged", { exact: true }).waitFor();
    await page.context().close();
  });

  it("cannot ask where no Integration opens pull requests of the repository, and reads so", async () => {
    const page = await show(editor, await push("fix-unwanted", "web"));
    await page.getByText("No Integration of type GitHub").waitFor();
    expect(await button(page, "Open pull request (branch fix-unwanted)").isDisabled()).toBe(true);
    await expectClean(page);
    await page.context().close();
  });

  it("has no button where the agent pushed to the branch that pull requests go into, and reads so", async () => {
    const spec = { url: "https://github.com/acme/trunk.git", branch: "main" } as Repository["spec"];
    await client.create(Repository, { metadata: { name: "trunk", namespace: world.people.world.tenant }, spec });
    const page = await show(editor, await push("main", "trunk"));
    await page.getByText("Pull requests of the repository go into this branch").waitFor();
    expect(await page.getByRole("button", { name: "(branch main)" }).count()).toBe(0);
    await expectClean(page);
    await page.context().close();
  });

  it("sees that what was asked for is done", async () => {
    const pushed = await push("fix-done");
    const done = { ...openedAsDraft, requestedAt: new Date(Date.now() + 60_000).toISOString() };
    await storePullRequest(client, pushed.session, { head: "fix-done", reason: "PullRequestOpened", status: done });
    const page = await show(editor, pushed);
    await button(page, "Read its state (branch fix-done)").click();
    await page.getByRole("status").getByText("Done", { exact: true }).waitFor();
    await page.context().close();
  });

  it("sees why GitHub refused it, and tries again", async () => {
    const pushed = await push("fix-2");
    const message = "GitHub answered 422. Push a commit.";
    await storePullRequest(client, pushed.session, { head: "fix-2", reason: "PullRequestRefused", message });
    const page = await show(editor, pushed);
    await page.getByText(message).waitFor();
    await button(page, "Try again (branch fix-2)").click();
    await asked(pushed);
    await page.context().close();
  });

  it("sees why asking failed, and can ask again", async () => {
    const pushed = await push("fix-3");
    const page = await show(editor, pushed);
    await page.route(requests, (route) => (route.request().method() === "POST" ? route.abort() : route.continue()));
    await button(page, "Open pull request (branch fix-3)").click();
    await page.getByRole("alert").getByText("cannot be reached").waitFor();
    await expectClean(page);
    await page.unroute(requests);
    await button(page, "Open pull request (branch fix-3)").click();
    await asked(pushed);
    await page.context().close();
  });

  it("sees it once where several prompts ended with the branch", async () => {
    const { session, path } = await push("fix-4");
    await storeEndedPrompt(client, session, { name: `${session.metadata.name!}-2`, branch: "fix-4" });
    const page = await world.signIn(editor);
    await page.goto(path);
    await button(page, "Open pull request (branch fix-4)").waitFor();
    expect(await button(page, "Open pull request (branch fix-4)").count()).toBe(1);
    await page.context().close();
  });

  it("has no button where another session owns it, and is led there", async () => {
    const owner = await push("fix-5");
    const opened = { head: "fix-5", reason: "PullRequestOpened", status: openedAsDraft } as const;
    await storePullRequest(client, owner.session, opened);
    const page = await show(editor, await push("fix-5"));
    const link = page.getByRole("link", { name: owner.path.slice("/sessions/".length) });
    await link.waitFor();
    expect(await link.getAttribute("href")).toBe(owner.path);
    expect(await page.getByRole("button", { name: "(branch fix-5)" }).count()).toBe(0);
    await page.context().close();
  });
});

describe("a person who may only look", () => {
  it("sees the pull request and no button", async () => {
    const pushed = await push("fix-6");
    const opened = { head: "fix-6", reason: "PullRequestOpened", status: openedAsDraft } as const;
    await storePullRequest(client, pushed.session, opened);
    const page = await show(viewer, pushed);
    await page.getByRole("link", { name: "acme/api#17" }).waitFor();
    expect(await page.getByRole("button", { name: "(branch fix-6)" }).count()).toBe(0);
    await page.context().close();
  });

  it("is told where the right to see pull requests is missing, and none is asked for", async () => {
    const rules = [ours("automations", "list"), ours("sessions", "get"), ours("prompts", "get", "list", "patch")];
    const token = await world.people.caller(rules);
    const page = await world.signIn(token);
    const sent: string[] = [];
    page.on("request", (request) => void sent.push(request.url()));
    await page.goto((await push("fix-7")).path);
    await page.getByText("You may not see the pull request of its branch.").waitFor();
    expect(await page.getByRole("button", { name: "(branch fix-7)" }).count()).toBe(0);
    expect(sent.filter((url) => url.endsWith("/pull-request"))).toEqual([]);
    await page.context().close();
  });
});

it("it says that it loads, that it failed, and loads again", async () => {
  const page = await world.signIn(editor);
  let isAway = true;
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  await page.route(requests, async (route) => {
    if (!isAway) return route.continue();
    await held;
    return route.abort();
  });
  await page.goto((await push("fix-8")).path);
  await page.getByText("Loading the pull request…").waitFor();
  release();
  await page.getByText("Could not load the pull request").waitFor();
  isAway = false;
  await button(page, "Try again").click();
  await button(page, "Open pull request (branch fix-8)").waitFor();
  await page.context().close();
});

it("what agents and GitHub say is text, and no address runs anything", async () => {
  const attack = '<img src=x onerror="window.broken=1">\u202egnp\u0007';
  const shown = '<img src=x onerror="window.broken=1">gnp';
  const pushed = await push(attack);
  const status = { ...openedAsDraft, url: "javascript:window.broken=1" };
  const opened = { head: attack, reason: "PullRequestOpened", message: attack, status } as const;
  await storePullRequest(client, pushed.session, opened);
  const page = await show(editor, pushed);
  await button(page, `Read its state (branch ${shown})`).waitFor();
  await page.getByText("acme/api#17").click();
  const text = await page.locator(".prompts").innerText();
  expect(text.split(shown)).toHaveLength(3);
  expect(await page.getByRole("link", { name: "acme/api#17" }).count()).toBe(0);
  const content = await page.content();
  for (const hidden of ["\u202e", "\u0007"]) expect(content).not.toContain(hidden);
  expect(await page.evaluate(() => "broken" in window)).toBe(false);
  expect(await page.locator(".prompts img").count()).toBe(0);
  await page.context().close();
});
