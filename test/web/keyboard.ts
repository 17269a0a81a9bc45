import type { Page } from "playwright-core";
import { expect } from "vitest";

/** Name of what has the focus, as a person hears it. */
export function focused(page: Page): Promise<string> {
  return page.evaluate(() => {
    const { activeElement: at } = document;
    const label = at instanceof HTMLElement && "labels" in at ? (at.labels as NodeListOf<HTMLElement> | null) : null;
    return (label?.[0]?.textContent ?? at?.getAttribute("aria-label") ?? at?.textContent ?? "").trim();
  });
}

/** Presses Tab until something of this name has the focus, as a person without a mouse does. */
export async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 60 && (await focused(page)) !== name; presses += 1) await page.keyboard.press("Tab");
  expect(await focused(page)).toBe(name);
}

/** Goes to something by Tab and presses a key on it. */
export async function press(page: Page, name: string, key = "Enter"): Promise<void> {
  await tabTo(page, name);
  await page.keyboard.press(key);
}
