import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { eventually } from "../support/runtime-world.ts";
import { openCutProxy } from "./cut-proxy.ts";
import { isOfEvents, makeLive, setVisible } from "./live.ts";
import { editRules, openWebWorld, type WebWorld } from "./world.ts";

let world: WebWorld;
let token: string;

beforeAll(async () => {
  world = await openWebWorld();
  token = await world.people.caller(editRules);
});
afterAll(() => world.close());

const attacks = [
  '<img src=x onerror="window.broken=1">',
  "<script>window.broken=1</script>",
  "</pre><svg onload=window.broken=1>",
  "javascript:window.broken=1",
  "\u202egnp.exe\u0007\u001b[2Jtext\u009b31m",
];

describe("the timeline", () => {
  it("shows what an agent writes as text, and nothing of it runs", async () => {
    const { say, path } = await makeLive(world);
    const page = await world.signIn(token);
    await page.goto(path);
    for (const attack of attacks) say(`${attack}\n`);
    await page.getByText("<script>window.broken=1</script>").waitFor();
    const shown = await page.locator(".timeline").innerText();
    for (const attack of attacks.slice(0, 4)) expect(shown).toContain(attack);
    expect(shown).toContain("gnp.exetext");
    for (const hidden of ["\u202e", "\u0007", "\u001b", "\u009b"]) expect(shown).not.toContain(hidden);
    expect(await page.evaluate(() => "broken" in window)).toBe(false);
    expect(await page.locator(".timeline img, .timeline script, .timeline svg").count()).toBe(0);
    await page.context().close();
  });

  it("lets no text become markup, whatever the page's code does", async () => {
    const page = await world.signIn(token);
    const outcome = await page.evaluate(() => {
      try {
        document.body.innerHTML = "<b>x</b>";
        return "taken";
      } catch (error) {
        return (error as Error).name;
      }
    });
    expect(outcome).toBe("TypeError");
    await page.context().close();
  });

  it("closes its stream in a hidden tab, and goes on after the last event", async () => {
    const { say, path } = await makeLive(world);
    const page = await world.signIn(token);
    const asked: (string | undefined)[] = [];
    const ended: string[] = [];
    page.on("request", (request) => {
      if (isOfEvents(request)) asked.push(request.headers()["last-event-id"]);
    });
    page.on("requestfailed", (request) => {
      if (isOfEvents(request)) ended.push(request.url());
    });
    await page.goto(path);
    say("before\n");
    await page.getByText("before").waitFor();
    await setVisible(page, false);
    await eventually("the stream is closed", () => ended.length === 1 || undefined);
    say("while hidden\n");
    await setVisible(page, true);
    await page.getByText("while hidden").waitFor();
    expect(asked).toEqual([undefined, "1.1"]);
    expect((await page.locator(".timeline").innerText()).match(/before/g)).toHaveLength(1);
    await page.context().close();
  });

  it("says why it cannot be loaded, tries again, and goes on", async () => {
    const { say, path } = await makeLive(world);
    const page = await world.signIn(token);
    let isAway = true;
    await page.route(isOfEvents, (route) =>
      isAway ? route.fulfill({ status: 503, json: { error: "the gateway restarts" } }) : route.continue(),
    );
    say("behind\n");
    await page.goto(path);
    await page.getByText("Could not load the timeline").waitFor();
    await page.getByText("the gateway restarts").waitFor();
    isAway = false;
    await page.getByText("behind").waitFor();
    expect(await page.getByText("Could not load the timeline").count()).toBe(0);
    await page.context().close();
  });

  it("of a long session is sent its end, and older parts on demand, without a gap and without a double", async () => {
    const { say, peer, path } = await makeLive(world);
    const count = 100;
    for (let line = 0; line < count; line += 1) say(`line ${line} ${"x".repeat(8_000)}\n`);
    await eventually("all is stored", () => peer.acknowledged === count);
    const page = await world.signIn(token);
    const asked: (string | null)[] = [];
    page.on("request", (request) => {
      if (isOfEvents(request)) asked.push(new URL(request.url()).searchParams.get("before"));
    });
    await page.goto(path);
    await page.getByText(`line ${count - 1} `).waitFor();
    const older = page.getByRole("button", { name: "Show older entries" });
    const loading = page.locator("button:disabled", { hasText: "Show older entries" });
    await older.click();
    await page.getByText("line 50 ").waitFor();
    expect(await page.getByText("line 0 ").count()).toBe(0);
    say("spoken now\n");
    await page.getByText("spoken now").waitFor();
    while ((await older.count()) > 0) {
      await older.click();
      await loading.waitFor({ state: "detached" });
    }
    const shown = await page.locator(".timeline").innerText();
    const lines = [...shown.matchAll(/line (\d+) /g)].map(([, line]) => Number(line));
    expect(lines).toEqual(Array.from({ length: count }, (_, line) => line));
    expect(shown.match(/spoken now/g)).toHaveLength(1);
    expect(asked[0]).toBe(null);
    expect(asked.filter((before) => before !== null).length).toBeGreaterThanOrEqual(2);
    await page.context().close();
  });

  it("keeps what it shows where older entries cannot be loaded, and loads them at the next try", async () => {
    const { say, peer, path } = await makeLive(world);
    for (let line = 0; line < 50; line += 1) say(`line ${line} ${"x".repeat(8_000)}\n`);
    await eventually("all is stored", () => peer.acknowledged === 50);
    const page = await world.signIn(token);
    let isAway = true;
    await page.route(/[?&]before=/, (route) =>
      isAway ? route.fulfill({ status: 503, json: { error: "the gateway restarts" } }) : route.continue(),
    );
    await page.goto(path);
    await page.getByText("line 49 ").waitFor();
    const older = page.getByRole("button", { name: "Show older entries" });
    await older.click();
    await page.getByText("the gateway restarts").waitFor();
    expect(await page.getByText("line 49 ").count()).toBe(1);
    isAway = false;
    await older.click();
    await page.getByText("line 0 ").waitFor();
    expect(await older.count()).toBe(0);
    expect(await page.getByText("the gateway restarts").count()).toBe(0);
    await page.context().close();
  });

  it("is live in each of seven tabs", async () => {
    const { say, path } = await makeLive(world);
    const first = await world.signIn(token);
    const tabs = [first];
    for (let more = 1; more < 7; more += 1) {
      const tab = await first.context().newPage();
      // A browser hides a tab when another one is opened.
      await setVisible(tabs.at(-1)!, false);
      tabs.push(tab);
      await tab.goto(path);
      await tab.getByText("Nothing has happened yet.").waitFor();
    }
    say("to all\n");
    for (const tab of tabs.slice(1)) {
      await setVisible(tab, true);
      await tab.getByText("to all").waitFor();
      await setVisible(tab, false);
    }
    await first.context().close();
  });
});

describe("a connection that breaks off while events come", () => {
  it("leaves no gap and no double, however often it does", async () => {
    const { say, peer, path } = await makeLive(world);
    const proxy = await openCutProxy(world.web.port);
    const page = await world.signIn(token, { baseURL: proxy.url });
    const asked: (string | undefined)[] = [];
    page.on("request", (request) => {
      if (isOfEvents(request)) asked.push(request.headers()["last-event-id"]);
    });
    await page.goto(path);
    const count = 60;
    let said = 0;
    const sayUpTo = (line: number): void => {
      for (; said < line; said += 1) say(`line ${said} ${"x".repeat(200)}\n`);
    };
    for (const until of [10, 30, 45]) {
      sayUpTo(until);
      await page.getByText(`line ${until - 1} `).waitFor();
      // In the middle of what is said: some of it is stored and not shown yet.
      sayUpTo(until + 5);
      proxy.cut();
    }
    sayUpTo(count);
    await eventually("all is stored", () => peer.acknowledged === count);
    await page.getByText(`line ${count - 1} `).waitFor();
    const shown = await page.locator(".timeline").innerText();
    const lines = [...shown.matchAll(/line (\d+) /g)].map(([, line]) => Number(line));
    expect(lines).toEqual(Array.from({ length: count }, (_, line) => line));
    expect(asked.length).toBeGreaterThanOrEqual(4);
    expect(asked.slice(1).every((id) => id !== undefined)).toBe(true);
    await page.context().close();
    proxy.close();
  });

  it("of a long session goes on at its end, and loads an older part afterwards", async () => {
    const { say, peer, path } = await makeLive(world);
    const count = 50;
    for (let line = 0; line < count; line += 1) say(`line ${line} ${"x".repeat(8_000)}\n`);
    await eventually("all is stored", () => peer.acknowledged === count);
    const proxy = await openCutProxy(world.web.port);
    const page = await world.signIn(token, { baseURL: proxy.url });
    await page.goto(path);
    await page.getByText(`line ${count - 1} `).waitFor();
    proxy.cut();
    say(`line ${count} after\n`);
    await page.getByText(`line ${count} after`).waitFor();
    await page.getByRole("button", { name: "Show older entries" }).click();
    await page.getByText("line 0 ").waitFor();
    const shown = await page.locator(".timeline").innerText();
    const lines = [...shown.matchAll(/line (\d+) /g)].map(([, line]) => Number(line));
    expect(lines).toEqual(Array.from({ length: count + 1 }, (_, line) => line));
    await page.context().close();
    proxy.close();
  });
});
