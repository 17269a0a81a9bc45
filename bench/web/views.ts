import type { Browser, BrowserContext, Page } from "playwright-core";

import { percentile, rounded } from "../statistics.ts";
import { serveBarePage } from "./bare-page.ts";

/** Who is signed in. */
export type SignedIn = Awaited<ReturnType<BrowserContext["storageState"]>>;

/** A page and the text with which it is there. */
export interface View {
  url: string;
  text: string;
}

/** Milliseconds until a page is there. */
export interface ViewFigures {
  p50Ms: number;
  p99Ms: number;
}

/** Shows the page so often to a browser that has cached nothing, in turns with a bare page whose script has as many bytes. */
export async function measureView(
  browser: Browser,
  state: SignedIn,
  view: View,
  views: number,
): Promise<{ scriptBytes: number; ours: ViewFigures; bare: ViewFigures }> {
  const scriptBytes = await scriptBytesOf(browser, state, view);
  const bare = await serveBarePage(scriptBytes);
  const times: Record<"ours" | "bare", number[]> = { ours: [], bare: [] };
  // The first of each is the compilers'.
  for (let turn = 0; turn <= views; turn += 1) {
    const oursMs = await viewMs(browser, state, view);
    const bareMs = await viewMs(browser, state, { url: bare.url, text: "Bare" });
    if (turn === 0) continue;
    times.ours.push(oursMs);
    times.bare.push(bareMs);
  }
  bare.close();
  return { scriptBytes, ours: figuresOf(times.ours), bare: figuresOf(times.bare) };
}

function figuresOf(times: readonly number[]): ViewFigures {
  return { p50Ms: rounded(percentile(times, 0.5)), p99Ms: rounded(percentile(times, 0.99)) };
}

/** Bytes of the scripts and styles of a first view, without compression. */
async function scriptBytesOf(browser: Browser, storageState: SignedIn, { url, text }: View): Promise<number> {
  const context = await browser.newContext({ storageState });
  const page = await context.newPage();
  const bodies: Promise<Buffer>[] = [];
  page.on("response", (response) => {
    if (["script", "stylesheet"].includes(response.request().resourceType())) bodies.push(response.body());
  });
  await page.goto(url);
  await page.getByText(text).first().waitFor();
  const lengths = (await Promise.all(bodies)).map(({ length }) => length);
  await context.close();
  return lengths.reduce((sum, length) => sum + length, 0);
}

/** From the begin of the navigation, with nothing cached, until the text is on the page, by the browser's clock. */
async function viewMs(browser: Browser, storageState: SignedIn, { url, text }: View): Promise<number> {
  const context = await browser.newContext({ storageState });
  const page = await context.newPage();
  await markWhenShown(page, text);
  await page.goto(url);
  await page.waitForFunction(() => performance.getEntriesByName("shown").length > 0);
  const ms = await page.evaluate(() => performance.getEntriesByName("shown")[0]?.startTime ?? NaN);
  await context.close();
  return ms;
}

function markWhenShown(page: Page, text: string): Promise<unknown> {
  return page.addInitScript((wanted) => {
    const look = (): void => {
      if (document.documentElement.textContent.includes(wanted)) performance.mark("shown");
      else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  }, text);
}
