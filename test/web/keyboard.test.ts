import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";

import { create } from "../support/runtime-world.ts";
import { focused, press, tabTo } from "./keyboard.ts";
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

async function shown(path: string, heading: string): Promise<Page> {
  const page = await world.signIn(editor);
  await page.goto(path);
  await page.getByRole("heading", { name: heading }).waitFor();
  return page;
}

it("a person signs in, comes past the menu to the content, and signs out", async () => {
  const context = await world.open();
  const page = await context.newPage();
  await page.goto("/");
  await page.getByLabel("Kubernetes token").waitFor();
  await tabTo(page, "Kubernetes token");
  await page.keyboard.insertText(editor);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Automations" }).waitFor();
  await page.goto("/");
  await page.getByText("Triage production alerts").waitFor();
  await page.keyboard.press("Tab");
  expect(await focused(page)).toBe("Skip to the content");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  expect(await focused(page)).toBe("Namespace");
  await page.goto("/");
  await page.getByText("Triage production alerts").waitFor();
  await press(page, "Sessions");
  await page.getByRole("heading", { name: "Sessions" }).waitFor();
  await press(page, "Sign out");
  await page.getByLabel("Kubernetes token").waitFor();
  await context.close();
});

it("a person pauses, resumes and triggers", async () => {
  const automation = await world.people.makeAutomation({ spec: { displayName: "By keys" } });
  const page = await shown(`/automations/${automation.id}`, "By keys");
  await press(page, "Pause");
  await page.getByRole("button", { name: "Resume" }).waitFor();
  expect((await automation.read()).spec.suspend).toBe(true);
  await press(page, "Resume", "Space");
  await page.getByRole("button", { name: "Pause", exact: true }).waitFor();
  expect((await automation.read()).spec.suspend).toBe(false);
  const answered = page.waitForResponse(/\/trigger$/);
  await press(page, "Trigger");
  expect((await answered).status()).toBe(202);
  await page.getByText("manual").first().waitFor();
  await page.context().close();
});

it("a person opens the dialog of a key, cancels it, confirms it, and copies the key", async () => {
  const { id } = await world.people.makeAutomation({ spec: { displayName: "Keys" } });
  const page = await shown(`/automations/${id}`, "Keys");
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  const dialog = page.getByRole("dialog");
  for (const [name, key] of [
    ["Cancel", "Enter"],
    ["Regenerate key", "Escape"],
  ] as const) {
    await press(page, "Regenerate key…");
    await dialog.waitFor();
    await tabTo(page, name);
    // No Tab leaves the dialog for the page behind it.
    for (let presses = 0; presses < 6; presses += 1) {
      await page.keyboard.press("Tab");
      expect(["Cancel", "Regenerate key", ""]).toContain(await focusedIn(page));
    }
    await tabTo(page, name);
    await page.keyboard.press(key);
    await dialog.waitFor({ state: "detached" });
    expect(await focused(page)).toBe("Regenerate key…");
  }
  await press(page, "Regenerate key…");
  await dialog.waitFor();
  await press(page, "Regenerate key");
  await page.getByRole("dialog", { name: "The new key" }).waitFor();
  await press(page, "Copy key");
  await dialog.getByRole("button", { name: "Copied" }).waitFor();
  expect((await page.evaluate(() => navigator.clipboard.readText())).length).toBeGreaterThan(20);
  await press(page, "I have stored it");
  await dialog.waitFor({ state: "detached" });
  await page.context().close();
});

/** Name of what has the focus inside the page; empty where the browser itself has it. */
function focusedIn(page: Page): Promise<string> {
  return page.evaluate(() => {
    const at = document.activeElement;
    return at === null || at === document.body
      ? ""
      : at.closest("dialog") && at.tagName === "BUTTON"
        ? at.textContent
        : "";
  });
}

it("a person tries the payload of a delivery", async () => {
  const page = await shown(`/automations/${shop.webhook}`, "Deliveries");
  await page.getByText("filters[1]").first().waitFor();
  await press(page, "Try");
  const dialog = page.getByRole("dialog", { name: "Try this payload" });
  await dialog.waitFor();
  await press(page, "Close");
  await dialog.waitFor({ state: "detached" });
  expect(await focused(page)).toBe("Try");
  await page.context().close();
});

it("a person reads the timeline, sends a prompt, stops the one at work and cancels those that wait", async () => {
  const { tenant } = world.people.world;
  const { session } = shop.sandbox;
  const group = `/apis/runwright.dev/v1alpha1/namespaces/${tenant}`;
  const waiting = await create(`${group}/prompts`, {
    apiVersion: "runwright.dev/v1alpha1",
    kind: "Prompt",
    metadata: { name: `${session}-1` },
    spec: { sessionRef: { name: session }, text: "Look again" },
  });
  const { uid } = waiting.metadata;
  const [startTime, deadline] = [0, 3_600_000].map((ms) => new Date(Date.now() + ms).toISOString());
  await shop.sandbox.status({ currentPrompt: { name: `${session}-1`, uid, startTime, deadline }, queue: [uid] });
  const page = await shown(`/sessions/${shop.session}`, "Timeline");
  await page.getByText("Two tests fail").waitFor();
  await tabTo(page, "What happened");
  await tabTo(page, "Next prompt");
  await page.keyboard.insertText("Make it blue");
  const sent = page.waitForResponse(
    (answer) => answer.url().endsWith("/prompts") && answer.request().method() === "POST",
  );
  await page.keyboard.press("Control+Enter");
  expect((await sent).status()).toBe(202);
  for (const [name, path] of [
    ["Stop", "/stop"],
    ["Cancel all prompts", "/cancel"],
    ["Cancel", "/cancel"],
  ] as const) {
    await page.getByRole("button", { name, exact: true }).first().waitFor();
    const answered = page.waitForResponse((answer) => answer.url().endsWith(path));
    await press(page, name);
    expect([name, (await answered).status()]).toEqual([name, 202]);
  }
  await page.context().close();
});

it("a person chooses what the figures count, and reads them as numbers", async () => {
  const page = await shown("/analytics", "Analytics");
  await page.getByRole("heading", { name: "Sessions by day" }).waitFor();
  await tabTo(page, "Days");
  const asked = page.waitForRequest(/analytics\/summary.*days=90/);
  await page.keyboard.press("End");
  await asked;
  await page.getByRole("heading", { name: "Sessions by day" }).waitFor();
  await press(page, "Numbers");
  await page.getByRole("columnheader", { name: "Day (UTC)" }).waitFor();
  await page.context().close();
});
