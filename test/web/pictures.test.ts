import { mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, expect, it } from "vitest";

import { seedShop, type Shop } from "./shop.ts";
import { editRules, openWebWorld, type WebWorld } from "./world.ts";

/** Names the folder of the pictures in the documentation: docs/use/web. */
const folder = process.env.RUNWRIGHT_PICTURES ?? join(tmpdir(), "runwright-pictures");
/** A picture larger than this does not belong into the documentation. */
const mostBytes = 120 * 1_024;

let world: WebWorld;
let shop: Shop;

beforeAll(async () => {
  world = await openWebWorld();
  shop = await seedShop(world);
  await mkdir(folder, { recursive: true });
});
afterAll(() => world.close());

it("the pages of the documentation look as they do", async () => {
  const token = await world.people.caller(editRules);
  const pictures: [string, string, string, "light" | "dark", number?][] = [
    ["automations", "/automations", "Triage production alerts", "light"],
    ["automation", `/automations/${shop.webhook}`, "filters[1]", "light"],
    ["session", `/sessions/${shop.session}`, "Two tests fail", "dark"],
    ["analytics", "/analytics", "Sessions by day", "light"],
    ["new", "/new", "kind: Automation", "light"],
    ["new-secret", "/new-secret", "kind: Secret", "light", 375],
  ];
  for (const [name, path, text, colorScheme, width = 1_000] of pictures) {
    const page = await world.signIn(token, { viewport: { width, height: 700 }, colorScheme });
    await page.goto(path);
    await page.getByText(text).first().waitFor();
    if (name === "analytics") {
      await page.getByRole("combobox", { name: "Sessions" }).selectOption("all");
      await page.getByLabel("By").selectOption("repository");
      await page.getByText("billing").waitFor();
    }
    const picture = await page.screenshot({ path: join(folder, `${name}.png`), animations: "disabled" });
    expect(picture.length).toBeLessThan(mostBytes);
    await page.context().close();
  }
});
