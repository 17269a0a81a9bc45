import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";

import { labels } from "../../src/api/v1alpha1/index.ts";
import { create, makeSandbox } from "../support/runtime-world.ts";
import { editRules, openWebWorld, type WebWorld } from "./world.ts";

let world: WebWorld;
let token: string;
let group: string;

beforeAll(async () => {
  world = await openWebWorld();
  token = await world.people.caller(editRules);
  group = `/apis/runwright.dev/v1alpha1/namespaces/${world.people.world.tenant}`;
});
afterAll(() => world.close());

const button = (page: Page, name: string, is: "enabled" | "disabled"): Locator =>
  page.locator(`.pager button:${is}`, { hasText: name });

/** What two pages of a list show, there and back again. */
async function walk(page: Page, entries: Locator): Promise<{ first: string[]; second: string[]; again: string[] }> {
  await button(page, "Older", "enabled").waitFor();
  await button(page, "Newer", "disabled").waitFor();
  const first = await entries.allInnerTexts();
  await button(page, "Older", "enabled").click();
  await button(page, "Newer", "enabled").waitFor();
  await button(page, "Older", "disabled").waitFor();
  const second = await entries.allInnerTexts();
  await button(page, "Newer", "enabled").click();
  await button(page, "Newer", "disabled").waitFor();
  return { first, second, again: await entries.allInnerTexts() };
}

it("automations are paged through, each once, and another search begins at its first page", async () => {
  for (let number = 0; number < 28; number += 1) {
    await world.people.makeAutomation({ name: `paged-${number}`, spec: { displayName: `Paged ${number}` } });
  }
  const page = await world.signIn(token);
  await page.getByLabel("Search").fill("paged");
  const names = page.getByRole("table", { name: "Automations, newest first" }).getByRole("rowheader");
  const { first, second, again } = await walk(page, names);
  expect([first.length, second.length, again]).toEqual([25, 3, first]);
  expect(new Set([...first, ...second]).size).toBe(28);
  await button(page, "Older", "enabled").click();
  await button(page, "Newer", "enabled").waitFor();
  await page.getByLabel("Search").fill("paged-2");
  await page.getByText("Paged 27").waitFor();
  expect(await names.count()).toBe(9);
  expect(await page.locator(".pager").count()).toBe(0);
  await page.context().close();
});

it("sessions are paged through, each once", async () => {
  for (let number = 0; number < 27; number += 1) {
    await create(`${group}/sessions`, {
      apiVersion: "runwright.dev/v1alpha1",
      kind: "Session",
      metadata: { name: `paged-${number}` },
      spec: { serviceAccountName: "sandbox" },
    });
  }
  const page = await world.signIn(token);
  await page.goto("/sessions");
  const names = page.getByRole("table", { name: "Sessions, newest first" }).getByRole("rowheader");
  const { first, second, again } = await walk(page, names);
  expect([first.length, second.length, again]).toEqual([25, 2, first]);
  expect(new Set([...first, ...second]).size).toBe(27);
  await page.context().close();
});

it("the runs of an automation are paged through, each once", async () => {
  const { id, name, uid } = await world.people.makeAutomation();
  for (let number = 0; number < 13; number += 1) {
    const time = new Date(Date.now() - number * 60_000).toISOString();
    await create(`${group}/runs`, {
      apiVersion: "runwright.dev/v1alpha1",
      kind: "Run",
      metadata: { name: `${name}-${number}`, labels: { [labels.automationUid]: uid } },
      spec: { automationRef: { name, uid }, trigger: { type: "Manual", time } },
    });
  }
  const page = await world.signIn(token);
  const shown: string[][] = [];
  page.on("response", (response) => {
    if (!new URL(response.url()).pathname.endsWith("/invocations")) return;
    void response.json().then(
      ({ invocations }: { invocations: { id: string }[] }) => shown.push(invocations.map(({ id: one }) => one)),
      () => undefined,
    );
  });
  await page.goto(`/automations/${id}`);
  const rows = page.getByRole("table", { name: "Runs, newest first" }).locator("tbody tr");
  const { first, second, again } = await walk(page, rows);
  expect([first.length, second.length, again.length]).toEqual([10, 3, 10]);
  expect(new Set(shown.flat()).size).toBe(13);
  await page.context().close();
});

it("the prompts of a session are paged through, each once", async () => {
  const sandbox = await makeSandbox(world.people.world);
  for (let number = 0; number < 12; number += 1) {
    await create(`${group}/prompts`, {
      apiVersion: "runwright.dev/v1alpha1",
      kind: "Prompt",
      metadata: { name: `${sandbox.session}-${number}` },
      spec: { sessionRef: { name: sandbox.session }, text: `Prompt ${number}` },
    });
  }
  const page = await world.signIn(token);
  await page.goto(`/sessions/${world.people.world.tenant}.${sandbox.session}`);
  const { first, second, again } = await walk(page, page.locator(".prompts > li"));
  expect([first.length, second.length, again.length]).toEqual([10, 2, 10]);
  await page.context().close();
});
