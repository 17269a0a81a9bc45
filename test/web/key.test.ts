import { afterAll, beforeAll, expect, it } from "vitest";

import { editRules, openWebWorld, type WebWorld } from "./world.ts";

let world: WebWorld;

beforeAll(async () => {
  world = await openWebWorld();
});
afterAll(() => world.close());

it("shows a new key in its dialog, and nowhere afterwards", async () => {
  const { id } = await world.people.makeAutomation({ spec: { displayName: "Alerts" } });
  const page = await world.signIn(await world.people.caller(editRules));
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.goto(`/automations/${id}`);
  await page.getByRole("button", { name: "Regenerate key…" }).click();
  await page.getByText("stops working at once").waitFor();
  await page.getByRole("button", { name: "Regenerate key", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "The new key" });
  const key = await dialog.locator(".key").innerText();
  expect(key.length).toBeGreaterThan(20);
  await dialog.getByRole("button", { name: "Copy curl" }).click();
  await dialog.getByRole("button", { name: "Copied" }).waitFor();
  const curl = await page.evaluate(() => navigator.clipboard.readText());
  expect(curl).toContain(`RUNWRIGHT_API_KEY='${key}'\ncurl `);
  expect(curl).toContain(`/webhooks/automation/${id}`);
  await dialog.getByRole("button", { name: "Copy key" }).click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(key);
  await dialog.getByRole("button", { name: "I have stored it" }).click();
  await dialog.waitFor({ state: "detached" });
  expect(await page.content()).not.toContain(key);
  expect(
    await page.evaluate(() => JSON.stringify([localStorage, sessionStorage, history.state, location.href])),
  ).not.toContain(key);
  expect(JSON.stringify(await page.context().storageState())).not.toContain(key);
  await page.reload();
  await page.getByRole("heading", { name: "Webhook" }).waitFor();
  expect(await page.content()).not.toContain(key);
  await page.goBack();
  expect(await page.content()).not.toContain(key);
});

it("is not lost by Escape, neither on its way nor when it is shown", async () => {
  const { id } = await world.people.makeAutomation();
  const page = await world.signIn(await world.people.caller(editRules));
  await page.goto(`/automations/${id}`);
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  await page.route("**/regenerate-key", async (route) => {
    await held;
    await route.continue();
  });
  const escape = async (): Promise<void> => {
    for (let times = 0; times < 3; times += 1) await page.keyboard.press("Escape");
  };
  await page.getByRole("button", { name: "Regenerate key…" }).click();
  await page.getByRole("button", { name: "Regenerate key", exact: true }).click();
  await escape();
  release();
  const dialog = page.getByRole("dialog", { name: "The new key" });
  await dialog.locator(".key").waitFor();
  await escape();
  // The browser closes it at the second press, and it is shown again.
  await dialog.locator(".key").waitFor();
  await dialog.getByRole("button", { name: "I have stored it" }).click();
  await dialog.waitFor({ state: "detached" });
  await page.context().close();
});

it("shows the path always, and copies the URL and a request that matches the filters", async () => {
  const filters = [{ path: "$.alert.count", operator: "gte", value: 3 }];
  const { id } = await world.people.makeAutomation({ spec: { trigger: { type: "Webhook", webhook: { filters } } } });
  const page = await world.signIn(await world.people.caller(editRules));
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.goto(`/automations/${id}`);
  await page.getByText(`POST /webhooks/automation/${id}`).waitFor();
  await page.getByRole("button", { name: "Copy URL" }).click();
  const clipboard = (): Promise<string> => page.evaluate(() => navigator.clipboard.readText());
  expect(await clipboard()).toBe(`https://hooks.example.com/webhooks/automation/${id}`);
  const copyCurl = async (): Promise<void> => {
    await page.getByRole("button", { name: "Copied" }).waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Copy curl" }).click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
  };
  await copyCurl();
  const first = await clipboard();
  expect(first).toContain('"count":3');
  expect(first).toContain("$RUNWRIGHT_API_KEY");
  await copyCurl();
  // A request that is copied again is another event.
  expect(await clipboard()).not.toBe(first);
});

it("pauses and resumes", async () => {
  const automation = await world.people.makeAutomation();
  const page = await world.signIn(await world.people.caller(editRules));
  await page.goto(`/automations/${automation.id}`);
  await page.getByRole("button", { name: "Pause", exact: true }).click();
  await page.getByRole("button", { name: "Resume" }).waitFor();
  expect((await automation.read()).spec.suspend).toBe(true);
  const answered = page.waitForResponse(/\/trigger$/);
  await page.getByRole("button", { name: "Trigger while paused" }).click();
  expect((await answered).status()).toBe(202);
  expect((await automation.read()).spec.suspend).toBe(true);
  await page.goto(`/automations/${automation.id}`);
  await page.getByRole("button", { name: "Resume" }).click();
  await page.getByRole("button", { name: "Pause", exact: true }).waitFor();
  expect((await automation.read()).spec.suspend).toBe(false);
});
