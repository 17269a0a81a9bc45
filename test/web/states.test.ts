import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { ours } from "../support/people-world.ts";
import { seedShop, type Shop } from "./shop.ts";
import { editRules, openWebWorld, viewRules, type WebWorld } from "./world.ts";

let world: WebWorld;
let shop: Shop;
let editor: string;

beforeAll(async () => {
  world = await openWebWorld();
  shop = await seedShop(world);
  editor = await world.people.caller(editRules);
});
afterAll(() => world.close());

async function choose(page: Page, namespace: string): Promise<void> {
  await page.getByLabel("Namespace").fill(namespace);
  await page.getByLabel("Namespace").press("Enter");
}

describe("each list and chart", () => {
  it.each<[what: string, path: () => string, request: RegExp, full: string]>([
    ["automations", () => "/automations", /\/api\/automations\?/, "Triage production alerts"],
    ["runs", () => `/automations/${shop.webhook}`, /\/invocations\b/, "Fixed the rounding of totals and added a test"],
    ["deliveries", () => `/automations/${shop.webhook}`, /\/deliveries\b/, "More than 5 new Runs per second"],
    ["sessions", () => "/sessions", /\/api\/sessions\?/, "$0.42"],
    ["the automation", () => `/automations/${shop.webhook}`, /\/api\/automations\/[^/]+\/rights/, "Works on"],
    ["the session", () => `/sessions/${shop.session}`, /\/api\/sessions\/[^/]+\/rights/, "Two tests fail"],
    ["prompts", () => `/sessions/${shop.session}`, /\/prompts\?/, "No prompt was sent yet."],
    ["the figures", () => "/analytics", /\/api\/analytics\/(summary|timeseries|breakdown)/, "Sessions by state"],
    ["pull requests", () => "/analytics", /\/api\/analytics\/pull-requests/, "Pull requests by repository"],
  ])("of %s says that it loads, that it failed, and loads again", async (what, path, request, full) => {
    const page = await world.signIn(editor);
    let isAway = true;
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    await page.route(request, async (route) => {
      if (!isAway) return route.continue();
      await held;
      return route.abort();
    });
    await page.goto(path());
    await page.getByText(`Loading ${what}…`).waitFor();
    expect(await page.getByText(full).count()).toBe(0);
    release();
    await page.getByText(`Could not load ${what}`).waitFor();
    isAway = false;
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText(full).first().waitFor();
    expect(await page.getByText(`Could not load ${what}`).count()).toBe(0);
    await page.context().close();
  });

  it("says that the archive cannot be read, where what it alone has is missing", async () => {
    const page = await world.signIn(editor);
    await page.route("**/invocations*", async (route) => {
      const answer = await route.fetch();
      await route.fulfill({ json: { ...((await answer.json()) as object), isComplete: false } });
    });
    await page.goto(`/automations/${shop.webhook}`);
    await page.getByText("The archive cannot be read now").waitFor();
    await page.context().close();
  });

  it("says where history ends why older runs are not kept, and nothing of it before", async () => {
    const page = await world.signIn(editor);
    let nextCursor: string | null = null;
    await page.route("**/invocations*", async (route) => {
      const answer = await route.fetch();
      const trimmed = [{ message: "History is whole only after March (archive.budgets.namespace)" }];
      await route.fulfill({ json: { ...((await answer.json()) as object), trimmed, nextCursor } });
    });
    const told = page.getByText("archive.budgets.namespace).", { exact: false });
    await page.goto(`/automations/${shop.webhook}`);
    await told.waitFor();
    nextCursor = "1";
    await page.reload();
    await page.locator(".pager button:enabled", { hasText: "Older" }).waitFor();
    expect(await told.count()).toBe(0);
    await page.context().close();
  });

  it("says that it is empty", async () => {
    const page = await world.signIn(await world.people.caller(viewRules, "everywhere"));
    await choose(page, "default");
    await page.getByText("There is no automation here yet.").waitFor();
    await page.goto("/sessions");
    await page.getByText("There is no session here yet.").waitFor();
    await page.goto("/analytics");
    await page.getByText("No session of this kind was created in the last 30 days.").waitFor();
    await page.getByText("No pull request of an agent was created or merged in the last 30 days").waitFor();
    const idle = await world.people.makeAutomation({ spec: { trigger: { type: "Webhook", webhook: {} } } });
    await page.goto(`/automations/${idle.id}`);
    await page.getByText("It has not run yet.").waitFor();
    await page.getByText("No delivery with the right key has come yet.").waitFor();
    await page.context().close();
  });

  it.each([
    ["/automations", "automations"],
    ["/sessions", "sessions"],
    ["/analytics", "sessions"],
  ])("of %s says which right is missing", async (path, kind) => {
    const page = await world.signIn(editor);
    await choose(page, "");
    await page.goto(path);
    await page.getByText("Not allowed").waitFor();
    await page.getByText(new RegExp(`may not list ${kind}\\.runwright\\.dev in all namespaces`)).waitFor();
    await page.context().close();
  });

  it("of pull requests says which right is missing, beside figures of sessions", async () => {
    const page = await world.signIn(await world.people.caller([ours("automations", "list"), ours("sessions", "list")]));
    await page.goto("/analytics");
    await page.getByText("Sessions by state").first().waitFor();
    await page.getByText("Not allowed").waitFor();
    await page.getByText(/may not list pullrequests\.runwright\.dev/).waitFor();
    await page.context().close();
  });

  it("of pull requests has what its charts show as tables", async () => {
    const page = await world.signIn(editor);
    await page.goto("/analytics");
    await page.getByText("Numbers of pull requests").click();
    const table = page.getByRole("table", { name: "Pull requests by day" });
    expect(await table.getByRole("columnheader").allTextContents()).toEqual(["Day (UTC)", "Created", "Merged"]);
    expect(await table.getByRole("row").last().getByRole("cell").allTextContents()).toEqual(["20", "8"]);
    const repositories = page.getByRole("table", { name: "Pull requests by repository, most created first" });
    expect(await repositories.getByRole("row").nth(1).allTextContents()).toEqual([
      `checkout in ${world.people.world.tenant}135`,
    ]);
    await page.context().close();
  });

  it("of one automation says that it is not for this person", async () => {
    const page = await world.signIn(await world.people.caller([ours("automations", "get", "list")]));
    await page.goto(`/automations/${shop.webhook}`);
    await page.getByText("You may not see its runs.").waitFor();
    await page.getByText("You may not see its deliveries.").waitFor();
    expect(await page.getByText("More than 5 new Runs per second").count()).toBe(0);
    await page.context().close();
  });
});
