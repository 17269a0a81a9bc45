import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { seedShop, type Shop } from "./shop.ts";
import { editRules, openWebWorld, type WebWorld } from "./world.ts";

let world: WebWorld;
let shop: Shop;
let editor: string;

beforeAll(async () => {
  world = await openWebWorld();
  shop = await seedShop(world);
  editor = await world.people.caller(editRules);
});
afterAll(() => world.close());

async function expectClean(what: string, page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  expect(violations.map(({ id, nodes }) => [what, id, nodes[0]?.html])).toEqual([]);
}

describe.each(["light", "dark"] as const)("in %s axe finds nothing wrong with", (colorScheme) => {
  it("the sign-in, also after a wrong token", async () => {
    const context = await world.open({ colorScheme });
    const page = await context.newPage();
    await page.goto("/");
    await page.getByLabel("Kubernetes token").fill("nonsense");
    await expectClean("sign-in", page);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("the cluster does not accept this token").waitFor();
    await expectClean("refused sign-in", page);
    await context.close();
  });

  it("dialogs", async () => {
    const { id } = await world.people.makeAutomation();
    const page = await world.signIn(editor, { colorScheme });
    await page.goto(`/automations/${id}`);
    await page.getByRole("button", { name: "Regenerate key…" }).click();
    await page.getByRole("dialog", { name: "Regenerate the key?" }).waitFor();
    await expectClean("warning", page);
    await page.getByRole("button", { name: "Regenerate key", exact: true }).click();
    await page.getByRole("dialog", { name: "The new key" }).waitFor();
    await expectClean("new key", page);
    await page.goto(`/automations/${shop.webhook}`);
    await page.getByRole("button", { name: "Try" }).first().click();
    await page.getByRole("dialog", { name: "Try this payload" }).waitFor();
    await expectClean("payload", page);
    await page.context().close();
  });

  it("a dialog whose action failed", async () => {
    const { id } = await world.people.makeAutomation();
    const page = await world.signIn(editor, { colorScheme });
    await page.route(/regenerate-key/, (route) => route.abort());
    await page.goto(`/automations/${id}`);
    await page.getByRole("button", { name: "Regenerate key…" }).click();
    await page.getByRole("button", { name: "Regenerate key", exact: true }).click();
    await page.getByRole("alert").filter({ hasText: /\S/ }).waitFor();
    await expectClean("failed action", page);
    await page.context().close();
  });

  it("views that load, failed, are out of date, forbidden or not there", async () => {
    const page = await world.signIn(editor, { colorScheme });
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const requests = /\/api\/automations\?/;
    await page.route(requests, async (route) => {
      await held;
      await route.abort();
    });
    await page.goto("/automations");
    await page.getByText("Loading automations…").waitFor();
    await expectClean("loading", page);
    release();
    await page.getByText("Could not load automations").waitFor();
    await expectClean("failed", page);
    await page.unroute(requests);
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText("Triage production alerts").waitFor();
    await page.route(requests, (route) => route.abort());
    await page.getByText("Not up to date").waitFor({ timeout: 60_000 });
    expect(await page.getByText("Triage production alerts").count()).toBe(1);
    await expectClean("out of date", page);
    await page.unroute(requests);
    await page.goto("/analytics");
    await page.getByLabel("Namespace").fill("");
    await page.getByLabel("Namespace").press("Enter");
    await page.getByText("Not allowed").waitFor();
    await expectClean("forbidden", page);
    await page.goto("/sessions/nowhere.at-all");
    await page.getByText("Not allowed").waitFor();
    await page.goto(`/sessions/${world.people.world.tenant}.not-there`);
    await page.getByText("Not found").waitFor();
    await expectClean("not found", page);
    await page.context().close();
  });
});
