import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { seedShop, type Shop } from "./shop.ts";
import { editRules, openWebWorld, viewRules, type WebWorld } from "./world.ts";

let world: WebWorld;
let shop: Shop;
let editor: string;
let viewer: string;

beforeAll(async () => {
  world = await openWebWorld();
  shop = await seedShop(world);
  [editor, viewer] = [await world.people.caller(editRules), await world.people.caller(viewRules)];
});
afterAll(() => world.close());

const pages = (): [string, string][] => [
  ["/automations", "Triage production alerts"],
  [`/automations/${shop.webhook}`, "filters[1]"],
  [`/sessions/${shop.session}`, "Two tests fail"],
  ["/sessions", shop.sandbox.session],
  ["/analytics", "cancelled"],
  ["/new", "kind: Automation"],
  ["/new-secret", "kind: Secret"],
];

async function show(page: Page, path: string, text: string): Promise<void> {
  await page.goto(path);
  await page.getByText(text).first().waitFor();
}

const buttons = (page: Page): Promise<string[]> => page.getByRole("main").getByRole("button").allTextContents();

describe("every page", () => {
  it.each(["light", "dark"] as const)("has nothing that axe finds wrong in %s", async (colorScheme) => {
    const page = await world.signIn(editor, { colorScheme });
    for (const [path, text] of pages()) {
      await show(page, path, text);
      const { violations } = await new AxeBuilder({ page }).analyze();
      expect(violations.map(({ id, nodes }) => [path, id, nodes[0]?.html])).toEqual([]);
    }
    await page.context().close();
  });

  it("fits into 375 pixels", async () => {
    const page = await world.signIn(editor, { viewport: { width: 375, height: 667 } });
    for (const [path, text] of pages()) {
      await show(page, path, text);
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      expect([path, width]).toEqual([path, 375]);
      const outside = await page
        .locator(".field > :is(input, select, textarea)")
        .evaluateAll((fields) => fields.filter((it) => it.clientWidth > it.parentElement!.clientWidth).length);
      expect([path, outside]).toEqual([path, 0]);
    }
    await page.context().close();
  });

  it("is there in at most 150 KB", async () => {
    const page = await world.signIn(editor);
    let bytes = 0;
    page.on("response", (response) => {
      // A redirect has no body, and what a page has left has none any more.
      void response.body().then(
        (body) => (bytes += body.length),
        () => undefined,
      );
    });
    await show(page, "/automations", "Triage production alerts");
    console.log(`first view: ${bytes} bytes without compression`);
    expect(bytes).toBeGreaterThan(10_000);
    expect(bytes).toBeLessThanOrEqual(150 * 1_024);
    await page.context().close();
  });

  it("shows an exact time in the viewer's zone on hover", async () => {
    const page = await world.signIn(editor, { timezoneId: "Asia/Tokyo" });
    await show(page, `/automations/${shop.webhook}`, "filters[1]");
    expect(await page.locator("time").first().getAttribute("title")).toMatch(/GMT\+9/);
    await page.context().close();
  });
});

describe("a person who may only look", () => {
  it("sees no button that would fail", async () => {
    const page = await world.signIn(viewer);
    await show(page, `/automations/${shop.webhook}`, "filters[1]");
    expect(await buttons(page)).toEqual(["Copy URL", "Copy curl", "Try"]);
    await show(page, `/sessions/${shop.session}`, "Two tests fail");
    expect(await buttons(page)).toEqual([]);
    expect(await page.getByLabel("Next prompt").count()).toBe(0);
    await page.context().close();
  });

  it("who may edit sees them", async () => {
    const page = await world.signIn(editor);
    await show(page, `/automations/${shop.webhook}`, "filters[1]");
    expect(await buttons(page)).toEqual(["Trigger", "Pause", "Copy URL", "Copy curl", "Regenerate key…", "Try"]);
    await page.context().close();
  });
});

describe("a list", () => {
  it("says that a search found nothing", async () => {
    const page = await world.signIn(editor);
    await page.getByLabel("Search").fill("no-such-thing");
    await page.getByText("No automation has this in its name.").waitFor();
    await page.getByLabel("Search").fill("NIGHTLY");
    await page.getByText("Nightly upgrades").waitFor();
    expect(await page.getByText("Triage production alerts").count()).toBe(0);
    await page.context().close();
  });
});

describe("the page's server", () => {
  it("refuses what another site posts", async () => {
    const page = await world.signIn(editor);
    const elsewhere = createServer((_, to) => to.setHeader("content-type", "text/html").end("<!doctype html>"));
    await once(elsewhere.listen(0, "127.0.0.1"), "listening");
    const other = await page.context().newPage();
    await other.goto(`http://localhost:${(elsewhere.address() as AddressInfo).port}/`);
    const url = `${world.url}/api/automations/${shop.webhook}/pause`;
    const [answer] = await Promise.all([
      other.waitForResponse(url),
      other.evaluate((action) => {
        const form = Object.assign(document.createElement("form"), { action, method: "post", enctype: "text/plain" });
        document.body.append(form);
        form.submit();
      }, url),
    ]);
    expect(answer.status()).toBe(403);
    const after = await page.request.get(`/api/automations/${shop.webhook}`);
    expect(((await after.json()) as { automation: { enabled: boolean } }).automation.enabled).toBe(true);
    elsewhere.close();
    const direct = await page.request.post(url, { data: {}, headers: { "sec-fetch-site": "cross-site" } });
    expect(direct.status()).toBe(403);
    await page.context().close();
  });
});

it("a person does all of it with the keyboard", async () => {
  const page = await world.signIn(editor);
  const focused = (): Promise<string> => page.evaluate(() => document.activeElement?.textContent.trim() ?? "");
  const tabTo = async (text: string): Promise<void> => {
    for (let presses = 0; presses < 40 && (await focused()) !== text; presses += 1) await page.keyboard.press("Tab");
    expect(await focused()).toBe(text);
  };
  await tabTo("Triage production alerts");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Deliveries" }).waitFor();
  await tabTo("Regenerate key…");
  await page.keyboard.press("Enter");
  await page.getByRole("dialog", { name: "Regenerate the key?" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  expect(await focused()).toBe("Regenerate key…");
  await page.context().close();
});
