import { readFile } from "node:fs/promises";

import type { Page, Request } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { attachFile } from "../support/attached-file.ts";
import { testApi } from "../support/cluster.ts";
import { ours } from "../support/people-world.ts";
import { RuntimePeer } from "../support/runtime-peer.ts";
import { eventually, makeSandbox, type SandboxFixture } from "../support/runtime-world.ts";
import { editRules, openWebWorld, type WebWorld } from "./world.ts";

let world: WebWorld;
let token: string;

beforeAll(async () => {
  world = await openWebWorld();
  token = await world.people.caller(editRules);
});
afterAll(() => world.close());

interface Live {
  sandbox: SandboxFixture;
  peer: RuntimePeer;
  path: string;
  say: (text: string) => void;
}

async function makeLive(): Promise<Live> {
  const { people } = world;
  const sandbox = await makeSandbox(people.world);
  const peer = await RuntimePeer.welcome(people.world, people.gateway, sandbox);
  let seq = 0;
  const say = (text: string): void =>
    peer.send({ type: "event", seq: (seq += 1), event: { kind: "output", source: "agent", stream: "stdout", text } });
  return { sandbox, peer, path: `/sessions/${people.world.tenant}.${sandbox.session}`, say };
}

/** Whether a request or address is of a stream of events. */
function isOfEvents(at: Request | URL): boolean {
  return (at instanceof URL ? at : new URL(at.url())).pathname.endsWith("/events");
}

async function setVisible(page: Page, isVisible: boolean): Promise<void> {
  await page.evaluate((visible) => {
    const state = visible ? "visible" : "hidden";
    Object.defineProperty(document, "visibilityState", { configurable: true, get: () => state });
    document.dispatchEvent(new Event("visibilitychange"));
  }, isVisible);
}

const attacks = [
  '<img src=x onerror="window.broken=1">',
  "<script>window.broken=1</script>",
  "</pre><svg onload=window.broken=1>",
  "javascript:window.broken=1",
  "\u202egnp.exe\u0007\u001b[2Jtext\u009b31m",
];

describe("the timeline", () => {
  it("shows what an agent writes as text, and nothing of it runs", async () => {
    const { say, path } = await makeLive();
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
    const { say, path } = await makeLive();
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
    const { say, path } = await makeLive();
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
    const { say, peer, path } = await makeLive();
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
    await older.click();
    await page.getByText("line 50 ").waitFor();
    expect(await page.getByText("line 0 ").count()).toBe(0);
    say("live\n");
    await page.getByText("live").waitFor();
    await page.getByText("line 0 ").or(older).first().waitFor();
    while ((await older.count()) > 0) {
      await older.click();
      await page.getByText("line 0 ").or(older).first().waitFor();
    }
    const shown = await page.locator(".timeline").innerText();
    const lines = [...shown.matchAll(/line (\d+) /g)].map(([, line]) => Number(line));
    expect(lines).toEqual(Array.from({ length: count }, (_, line) => line));
    expect(shown.match(/live/g)).toHaveLength(1);
    expect(asked[0]).toBe(null);
    expect(asked.filter((before) => before !== null).length).toBeGreaterThanOrEqual(2);
    await page.context().close();
  });

  it("keeps what it shows where older entries cannot be loaded, and loads them at the next try", async () => {
    const { say, peer, path } = await makeLive();
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
    const { say, path } = await makeLive();
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

describe("a prompt", () => {
  const png = Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64",
  );

  it("is sent with an image", async () => {
    const { sandbox, path } = await makeLive();
    const page = await world.signIn(token);
    await page.goto(path);
    await page.getByLabel("Next prompt").fill("Make the button blue");
    await page.getByLabel("Images").setInputFiles({ name: "shot.png", mimeType: "image/png", buffer: png });
    await page.getByText("shot.png").waitFor();
    await page.getByRole("button", { name: "Send" }).click();
    const prompts = `/apis/runwright.dev/v1alpha1/namespaces/${world.people.world.tenant}/prompts`;
    const stored = await eventually("the prompt is stored", async () => {
      const { body } = await testApi().send("GET", prompts);
      const { items } = body as {
        items: { spec: { sessionRef: { name: string }; text: string; images?: unknown[] } }[];
      };
      return items.find(({ spec }) => spec.sessionRef.name === sandbox.session);
    });
    expect(stored.spec).toMatchObject({
      text: "Make the button blue",
      images: [{ fileName: "shot.png", mediaType: "image/png" }],
    });
    await page.context().close();
  });

  it("is the same when it is sent again, and another one when it was changed", async () => {
    const { path } = await makeLive();
    const page = await world.signIn(token);
    await page.goto(path);
    const ids: string[] = [];
    await page.route("**/prompts", (route) => {
      if (route.request().method() !== "POST") return route.continue();
      ids.push((route.request().postDataJSON() as { clientRequestId: string }).clientRequestId);
      return route.fulfill({ status: 503, json: { error: "the answer was lost" } });
    });
    for (const text of ["Make it blue", "Make it blue", "Make it red"]) {
      await page.getByLabel("Next prompt").evaluate((field: HTMLTextAreaElement, value) => {
        if (field.value === value) return;
        field.value = value;
        field.dispatchEvent(new Event("input", { bubbles: true }));
      }, text);
      await page.getByRole("button", { name: "Send" }).click();
      const sent = ids.length;
      await eventually("it was sent", () => ids.length > sent - 1 || undefined);
      await page.getByText("the answer was lost").waitFor();
    }
    expect([ids.length, ids[0] === ids[1], ids[1] === ids[2]]).toEqual([3, true, false]);
    await page.context().close();
  });

  it("says why an image cannot be sent, and keeps the text", async () => {
    const { path } = await makeLive();
    const page = await world.signIn(token);
    await page.goto(path);
    await page.getByLabel("Next prompt").fill("Look at this");
    await page
      .getByLabel("Images")
      .setInputFiles({ name: "drawing.svg", mimeType: "image/svg+xml", buffer: Buffer.from("<svg/>") });
    await page.getByText("drawing.svg is not a PNG, JPEG, WebP or GIF image").waitFor();
    expect(await page.getByLabel("Next prompt").inputValue()).toBe("Look at this");
    await page.context().close();
  });
});

describe("files of the agent", () => {
  const content = Buffer.from("\x89PNG\r\n\x1a\nchart", "latin1");

  it("are listed below the answer and saved, never shown", async () => {
    const { sandbox, path } = await makeLive();
    const { tenant, blobDirectory } = world.people.world;
    const { name } = await sandbox.prompt("Show it.");
    const fileName = "\u202e<b>gnp</b>\u0007.png";
    await attachFile(blobDirectory, { namespace: tenant, prompt: name, content, fileName, leftOut: 2 });
    const page = await world.signIn(token);
    await page.goto(path);
    const list = page.getByRole("list", { name: "Files of the agent" });
    await list.getByText("image/png, 13 bytes").waitFor();
    await page.getByText("2 more files that the agent attached cannot be had").waitFor();
    const link = list.getByRole("link");
    expect(await link.innerText()).toBe("<b>gnp</b>.png");
    const downloads = page.waitForEvent("download");
    await link.click();
    const download = await downloads;
    for (const hidden of ["\u202e", "\u0007", "/"]) expect(download.suggestedFilename()).not.toContain(hidden);
    expect((await readFile(await download.path())).equals(content)).toBe(true);
    const address = await link.getAttribute("href");
    // Without the attribute of the link, too.
    const navigated = page.waitForEvent("download");
    await page.goto(address!).catch(() => undefined);
    expect((await readFile(await (await navigated).path())).equals(content)).toBe(true);
    expect(new URL(page.url()).pathname).toBe(path);
    await page.context().close();
  });

  it("are named without a link to who may not get prompts", async () => {
    const { sandbox, path } = await makeLive();
    const { tenant, blobDirectory } = world.people.world;
    const { name } = await sandbox.prompt("Show it.");
    await attachFile(blobDirectory, { namespace: tenant, prompt: name, content, fileName: "chart.png" });
    const lister = await world.people.caller([
      ours("automations", "list"),
      ours("sessions", "get", "list"),
      ours("prompts", "list"),
    ]);
    const page = await world.signIn(lister);
    await page.goto(path);
    const list = page.getByRole("list", { name: "Files of the agent" });
    await list.getByText("chart.png").waitFor();
    expect(await list.getByRole("link").count()).toBe(0);
    await page.context().close();
  });
});
