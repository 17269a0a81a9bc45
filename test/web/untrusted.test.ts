import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";

import { labels } from "../../src/api/v1alpha1/index.ts";
import { aSessionRow } from "../support/archive-rows.ts";
import { testApi } from "../support/cluster.ts";
import { create, makeSandbox } from "../support/runtime-world.ts";
import { editRules, openWebWorld, type WebWorld } from "./world.ts";

/** Written by senders, agents and repositories: script, markup, control and bidirectional characters. */
const attack = '<img src=x onerror="window.broken=1"><script>window.broken=1</script>\u202egnp\u0007\u009b31m';
const shown = '<img src=x onerror="window.broken=1"><script>window.broken=1</script>gnp';
const hidden = ["\u202e", "\u0007", "\u009b"];

let world: WebWorld;
let editor: string;
let group: string;

beforeAll(async () => {
  world = await openWebWorld();
  editor = await world.people.caller(editRules);
  group = `/apis/runwright.dev/v1alpha1/namespaces/${world.people.world.tenant}`;
});
afterAll(() => world.close());

/** That a page shows the text so often or more, as text and nothing else. */
async function expectText(page: Page, path: string, times: number): Promise<void> {
  await page.goto(path);
  await expect
    .poll(async () => (await page.getByRole("main").innerText()).split(shown).length - 1, { timeout: 60_000 })
    .toBeGreaterThanOrEqual(times);
  const content = await page.content();
  for (const character of hidden) expect(content).not.toContain(character);
  expect(await page.evaluate(() => "broken" in window)).toBe(false);
  expect(await page.getByRole("main").locator("img, script").count()).toBe(0);
}

const pushes = [{ repository: "shop-ui", branch: attack, commit: "a".repeat(40) }];

it("an automation with its runs and deliveries is shown as text", async () => {
  const { id, name, uid } = await world.people.makeAutomation({ spec: { displayName: attack, instructions: attack } });
  const trigger = { type: "Webhook", time: new Date().toISOString(), payload: "{}" };
  await create(`${group}/runs`, {
    apiVersion: "runwright.dev/v1alpha1",
    kind: "Run",
    metadata: { name: `${name}-1`, labels: { [labels.automationUid]: uid } },
    spec: { automationRef: { name, uid }, trigger },
  });
  const ended = { type: "Succeeded", status: "True", reason: "Completed", message: attack };
  const condition = { ...ended, lastTransitionTime: new Date().toISOString() };
  await testApi().send("PATCH", `${group}/runs/${name}-1/status`, {
    status: { conditions: [condition], result: { summary: attack, branch: attack, commit: "b".repeat(40), pushes } },
  });
  await create(`${group}/deliverylogs`, {
    apiVersion: "runwright.dev/v1alpha1",
    kind: "DeliveryLog",
    metadata: { name },
    spec: {
      deliveries: [
        {
          id: "d1",
          time: new Date().toISOString(),
          decision: "Filtered",
          message: attack,
          httpStatus: 200,
          bodyBytes: 9,
          body: JSON.stringify({ a: attack }),
        },
      ],
    },
  });
  const page = await world.signIn(editor);
  await expectText(page, "/automations", 1);
  // Name, summary, two branches, why it was filtered, and instructions.
  await expectText(page, `/automations/${id}`, 6);
  await page.getByRole("button", { name: "Copy curl" }).waitFor();
  await page.context().close();
});

it("a session with its prompts is shown as text", async () => {
  const sandbox = await makeSandbox(world.people.world);
  await testApi().send("PATCH", `${group}/sessions/${sandbox.session}`, { spec: { title: attack } });
  await sandbox.status({ result: { summary: attack, branch: attack, commit: "b".repeat(40), pushes } });
  const prompt = `${sandbox.session}-1`;
  await create(`${group}/prompts`, {
    apiVersion: "runwright.dev/v1alpha1",
    kind: "Prompt",
    metadata: { name: prompt },
    spec: { sessionRef: { name: sandbox.session }, text: attack },
  });
  const page = await world.signIn(editor);
  await expectText(page, `/sessions/${world.people.world.tenant}.${sandbox.session}`, 3);
  await page.getByText("Text", { exact: true }).click();
  await page.locator("details pre").getByText(shown).waitFor();
  expect(await page.evaluate(() => "broken" in window)).toBe(false);
  await page.context().close();
});

it("figures by person and by repository are shown as text", async () => {
  const { tenant: namespace } = world.people.world;
  const row = { namespace, created_ms: Date.now() - 1_000, requested_by: attack, repository: attack };
  await world.database.insertInto("sessions").values(aSessionRow("attack", row)).execute();
  const page = await world.signIn(editor);
  await page.goto("/analytics");
  for (const by of ["user", "repository"]) {
    await page.getByLabel("By").selectOption(by);
    await page.getByRole("rowheader").getByText(shown).waitFor({ timeout: 60_000 });
  }
  expect(await page.evaluate(() => "broken" in window)).toBe(false);
  await page.context().close();
});
