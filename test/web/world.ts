import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { Registry } from "prom-client";

import { buildPage } from "../../hack/build/page.ts";
import { progressOnStderr } from "../../hack/lib/progress.ts";
import { ensureChromium } from "../../hack/toolchain/chromium.ts";
import type { Database } from "../../src/gateway/archive/open-archive.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { systemRandom } from "../../src/lib/random.ts";
import { createLogger } from "../../src/telemetry/logger.ts";
import { type RunningWeb, startWeb, type WebConfig } from "../../src/web/start-web.ts";
import { openEmbeddedArchive } from "../support/embedded-archive.ts";
import type { Rule } from "../support/authorized.ts";
import { impersonate, openPeopleWorld, ours, type PeopleWorld } from "../support/people-world.ts";

/** As the role `view` of the chart has them. */
export const viewRules: readonly Rule[] = [
  ...["automations", "runs", "sessions", "prompts", "deliverylogs", "pullrequests"].map((kind) =>
    ours(kind, "get", "list", "watch"),
  ),
  ours("sessions/log", "get"),
];
/** As the role `edit` of the chart has them. */
export const editRules: readonly Rule[] = [
  ...viewRules,
  ...["automations", "runs", "sessions", "prompts"].map((kind) => ours(kind, "create", "update", "patch", "delete")),
  ours("automations/key", "create"),
  ours("sessions/tunnel", "create"),
  impersonate,
];

const flags = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** A gateway, the process `web` before it, and a browser. */
export interface WebWorld {
  people: PeopleWorld;
  browser: Browser;
  web: RunningWeb;
  url: string;
  database: Database;
  /** A browser of a person, as different from all others as another machine's; nothing of it is kept. */
  open(options?: Parameters<Browser["newContext"]>[0]): Promise<BrowserContext>;
  /** A page of a person with this token who has signed in. */
  signIn(token: string, options?: Parameters<Browser["newContext"]>[0]): Promise<Page>;
  close(): Promise<void>;
}

export async function openWebWorld(more: Partial<WebConfig> = {}): Promise<WebWorld> {
  const archive = await openEmbeddedArchive();
  const { database } = archive;
  const people = await openPeopleWorld({ answerMs: 60_000, decisionMs: 1_000 }, { database, retentionDays: 400 });
  const authoritiesFile = join(people.world.directory, "gateway-ca.pem");
  await writeFile(authoritiesFile, people.world.ca);
  const web = await startWeb({
    config: {
      port: 0,
      gateway: { url: people.gateway.peopleUrl, authoritiesFile },
      takesTokens: true,
      namespace: people.world.tenant,
      ...more,
    },
    files: await buildPage(),
    clock: systemClock,
    random: systemRandom,
    registry: new Registry(),
    logger: createLogger({ process: "web", level: "debug" }, { write: () => undefined }),
  });
  const browser = await chromium.launch({
    executablePath: await ensureChromium(progressOnStderr("browser")),
    args: flags,
  });
  const url = `http://127.0.0.1:${web.port}`;
  const open: WebWorld["open"] = (options) => browser.newContext({ baseURL: url, ...options });
  return {
    people,
    browser,
    web,
    url,
    database,
    open,
    async signIn(token, options) {
      const context = await open(options);
      const page = await context.newPage();
      const unanswered = unansweredOf(page);
      await page.goto("/");
      const field = page.getByLabel("Kubernetes token");
      await field.fill(token).catch(async (error: unknown) => {
        const shown = await page.locator("body").innerText();
        throw new Error(
          `${String(error)}; the page shows ${JSON.stringify(shown)} and waits for ${[...unanswered].join()}`,
        );
      });
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.getByRole("heading", { name: "Automations" }).waitFor();
      return page;
    },
    async close() {
      await browser.close();
      await web.close();
      await people.close();
      await archive.close();
    },
  };
}

/** Addresses of what the page has asked for and not got. */
function unansweredOf(page: Page): ReadonlySet<string> {
  const addresses = new Set<string>();
  page.on("request", (request) => addresses.add(request.url()));
  page.on("requestfinished", (request) => addresses.delete(request.url()));
  return addresses;
}
