import { readFile } from "node:fs/promises";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { attachFile } from "../support/attached-file.ts";
import { testApi } from "../support/cluster.ts";
import { ours } from "../support/people-world.ts";
import { create, eventually } from "../support/runtime-world.ts";
import { type Live, makeLive } from "./live.ts";
import { editRules, openWebWorld, type WebWorld } from "./world.ts";

let world: WebWorld;
let token: string;

beforeAll(async () => {
  world = await openWebWorld();
  token = await world.people.caller(editRules);
});
afterAll(() => world.close());

describe("a prompt", () => {
  const png = Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64",
  );

  it("is sent with an image", async () => {
    const { sandbox, path } = await makeLive(world);
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
    const { path } = await makeLive(world);
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
    const { path } = await makeLive(world);
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

describe("the end of prompts", () => {
  /** A prompt that waits behind the one at work. */
  async function makeWaiting({ sandbox }: Live, atWork: { uid: string }): Promise<{ name: string; uid: string }> {
    const { metadata } = await create(`/apis/runwright.dev/v1alpha1/namespaces/${world.people.world.tenant}/prompts`, {
      apiVersion: "runwright.dev/v1alpha1",
      kind: "Prompt",
      metadata: { name: `${sandbox.session}-waiting` },
      spec: { sessionRef: { name: sandbox.session }, text: "Look again" },
    });
    await sandbox.status({ queue: [atWork.uid, metadata.uid] });
    return { name: metadata.name, uid: metadata.uid };
  }
  /** The page of a session with one prompt at work and one that waits. */
  async function showTwoPrompts() {
    const live = await makeLive(world);
    const atWork = await live.sandbox.prompt("Do it.");
    const waiting = await makeWaiting(live, atWork);
    const page = await world.signIn(token);
    await page.goto(live.path);
    return { page, live, atWork, waiting };
  }
  const isCancelled = async ({ sandbox }: Live, name: string): Promise<boolean> => {
    const { spec } = (await sandbox.readPrompt(name)) as unknown as { spec: { cancel?: boolean } };
    return spec.cancel === true;
  };

  it("Stop ends the one at work and no other, and its button goes with it", async () => {
    const { page, live, atWork, waiting } = await showTwoPrompts();
    const { sandbox } = live;
    const stop = page.getByRole("button", { name: "Stop", exact: true });
    const answered = page.waitForResponse((answer) => answer.url().endsWith("/stop"));
    await stop.click();
    expect((await answered).status()).toBe(202);
    expect([await isCancelled(live, atWork.name), await isCancelled(live, waiting.name)]).toEqual([true, false]);
    await sandbox.settle(atWork.name, "Cancelled");
    await sandbox.status({ currentPrompt: null, queue: [waiting.uid], promptsEnded: 1 });
    await stop.waitFor({ state: "detached" });
    await page.locator(".prompts").getByText("cancelled").waitFor();
    expect(await page.getByRole("button", { name: "Cancel", exact: true }).count()).toBe(1);
    await page.context().close();
  });

  it("Cancel at one of them ends that one, and Cancel all prompts ends each", async () => {
    const { page, live, atWork, waiting } = await showTwoPrompts();
    const { sandbox } = live;
    const answeredAt = (end: string): Promise<number> =>
      page.waitForResponse((answer) => answer.url().endsWith(end)).then((answer) => answer.status());
    const one = answeredAt(`/prompts/${waiting.name}/cancel`);
    await page
      .locator(".prompts > li")
      .filter({ has: page.getByText("pending") })
      .getByRole("button", { name: "Cancel", exact: true })
      .click();
    expect(await one).toBe(202);
    expect([await isCancelled(live, atWork.name), await isCancelled(live, waiting.name)]).toEqual([false, true]);
    const all = answeredAt(`/sessions/${world.people.world.tenant}.${sandbox.session}/cancel`);
    await page.getByRole("button", { name: "Cancel all prompts" }).click();
    expect(await all).toBe(202);
    expect(await isCancelled(live, atWork.name)).toBe(true);
    for (const { name } of [atWork, waiting]) await sandbox.settle(name, "Cancelled");
    await sandbox.status({ currentPrompt: null, queue: [], promptsEnded: 2 });
    await page.getByRole("button", { name: "Cancel all prompts" }).waitFor({ state: "detached" });
    expect(await page.getByRole("button", { name: "Stop", exact: true }).count()).toBe(0);
    await page.context().close();
  });

  it("that failed says why at the button, which can be pressed again", async () => {
    const live = await makeLive(world);
    const atWork = await live.sandbox.prompt("Do it.");
    await live.sandbox.status({ queue: [atWork.uid] });
    const page = await world.signIn(token);
    let isAway = true;
    await page.route(/\/stop$/, (route) =>
      isAway ? route.fulfill({ status: 503, json: { error: "the gateway restarts" } }) : route.continue(),
    );
    await page.goto(live.path);
    const stop = page.getByRole("button", { name: "Stop", exact: true });
    await stop.click();
    await page.getByText("the gateway restarts").waitFor();
    expect(await isCancelled(live, atWork.name)).toBe(false);
    isAway = false;
    await stop.click();
    await eventually("it is asked for", () => isCancelled(live, atWork.name));
    await page.context().close();
  });
});

describe("files of the agent", () => {
  const content = Buffer.from("\x89PNG\r\n\x1a\nchart", "latin1");

  it("are listed below the answer and saved, never shown", async () => {
    const { sandbox, path } = await makeLive(world);
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
    const { sandbox, path } = await makeLive(world);
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
