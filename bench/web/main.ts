import type { Browser, Page } from "playwright-core";

import { progressOnStderr } from "../../hack/lib/progress.ts";
import { useCluster } from "../../test/support/cluster.ts";
import { startEquippedControlPlane } from "../../test/support/control-plane.setup.ts";
import { editRules, openWebWorld, type WebWorld } from "../../test/web/world.ts";
import { describeMachine, loadNow } from "../machine.ts";
import { percentile, rounded } from "../statistics.ts";
import { serveBarePage } from "./bare-page.ts";
import { parseOptions } from "./options.ts";

// npm run bench:web -- [--output json] [--views N]
const { views, json } = parseOptions(process.argv.slice(2));
const automations = 20;

const plane = await startEquippedControlPlane({ progress: progressOnStderr("bench"), policies: "of any release" });
try {
  useCluster(plane);
  const world = await openWebWorld();
  try {
    const before = loadNow();
    const figures = await measureViews(world);
    const load = { before, after: loadNow() };
    const command = `npm run bench:web -- --output json --views ${views}`;
    const document = { time: new Date().toISOString(), command, machine: await describeMachine(), load, ...figures };
    process.stdout.write(`${JSON.stringify(document, undefined, json ? undefined : 2)}\n`);
  } finally {
    await world.close();
  }
} finally {
  await plane.stop();
}

async function measureViews(world: WebWorld): Promise<object> {
  for (let number = 1; number <= automations; number += 1) {
    await world.people.makeAutomation({ spec: { displayName: `Automation ${number}` } });
  }
  const state = await (await world.signIn(await world.people.caller(editRules))).context().storageState();
  const page = await (await world.open({ storageState: state })).newPage();
  const ours = { url: `${world.url}/`, shown: page.getByText(`Automation ${automations}`, { exact: true }) };
  const scriptBytes = await bytesOf(page, ours);
  await page.context().close();
  const bare = await serveBarePage(scriptBytes);
  const times: Record<"ours" | "bare", number[]> = { ours: [], bare: [] };
  // The first of each is the compilers'.
  for (let view = 0; view <= views; view += 1) {
    const oursMs = await viewMs(world.browser, state, ours.url, `Automation ${automations}`);
    const bareMs = await viewMs(world.browser, state, bare.url, "Bare");
    if (view === 0) continue;
    times.ours.push(oursMs);
    times.bare.push(bareMs);
  }
  bare.close();
  const figures = (of: readonly number[]) => ({
    p50Ms: rounded(percentile(of, 0.5)),
    p99Ms: rounded(percentile(of, 0.99)),
  });
  return { automations, views, scriptBytes, ours: figures(times.ours), bare: figures(times.bare) };
}

/** Bytes of the scripts and styles of a first view. */
async function bytesOf(
  page: Page,
  { url, shown }: { url: string; shown: ReturnType<Page["getByText"]> },
): Promise<number> {
  const bodies: Promise<Buffer>[] = [];
  page.on("response", (response) => {
    if (["script", "stylesheet"].includes(response.request().resourceType())) bodies.push(response.body());
  });
  await page.goto(url);
  await shown.waitFor();
  return (await Promise.all(bodies)).reduce((sum, { length }) => sum + length, 0);
}

/** From the begin of the navigation, with nothing cached, until the text is on the page, by the browser's clock. */
async function viewMs(
  browser: Browser,
  storageState: Awaited<ReturnType<ReturnType<Page["context"]>["storageState"]>>,
  url: string,
  text: string,
): Promise<number> {
  const context = await browser.newContext({ storageState });
  const page = await context.newPage();
  await page.addInitScript((wanted) => {
    const look = (): void => {
      if (document.documentElement.textContent.includes(wanted)) performance.mark("shown");
      else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  }, text);
  await page.goto(url);
  await page.waitForFunction(() => performance.getEntriesByName("shown").length > 0);
  const ms = await page.evaluate(() => performance.getEntriesByName("shown")[0]?.startTime ?? NaN);
  await context.close();
  return ms;
}
