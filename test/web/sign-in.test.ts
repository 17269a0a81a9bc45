import type { Cookie, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { testApi } from "../support/cluster.ts";
import { RuntimePeer } from "../support/runtime-peer.ts";
import { create, makeSandbox } from "../support/runtime-world.ts";
import { editRules, openWebWorld, viewRules, type WebWorld } from "./world.ts";

let world: WebWorld;
let token: string;

beforeAll(async () => {
  world = await openWebWorld();
  token = await world.people.caller(viewRules);
});
afterAll(() => world.close());

describe("a person", () => {
  it("signs in by a token, which no script of the page can read", async () => {
    const page = await world.signIn(token);
    const cookies = await page.context().cookies();
    expect(cookies).toHaveLength(1);
    expect(cookies[0]).toMatchObject({
      name: "__Host-runwright-session-0",
      httpOnly: true,
      secure: true,
      sameSite: "Lax",
      path: "/",
    });
    expect(cookies[0]!.expires - Date.now() / 1_000).toBeLessThanOrEqual(3_600);
    expect(JSON.stringify(cookies)).not.toContain(token);
    expect(await page.evaluate(() => document.cookie)).toBe("");
    expect(JSON.stringify(await page.context().storageState())).not.toContain(token);
    expect(await page.content()).not.toContain(token);
    await page.context().close();
  });

  it("is told that a token is not accepted, and stays signed out", async () => {
    const context = await world.open();
    const page = await context.newPage();
    await page.goto("/");
    await page.getByLabel("Kubernetes token").fill("nonsense");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("the cluster does not accept this token").waitFor();
    expect(await context.cookies()).toEqual([]);
    await context.close();
  });

  it("is asked to sign in by a tab that became visible while the page began", async () => {
    const context = await world.open();
    await context.addInitScript(() => {
      let isVisible = false;
      const listen = document.addEventListener.bind(document);
      document.addEventListener = (type: string, ...rest: [EventListenerOrEventListenerObject]) => {
        isVisible ||= type === "visibilitychange";
        listen(type, ...rest);
      };
      Object.defineProperty(document, "visibilityState", { get: () => (isVisible ? "visible" : "hidden") });
    });
    const page = await context.newPage();
    await page.goto("/");
    await page.getByLabel("Kubernetes token").waitFor();
    await context.close();
  });

  it("is told what to do by a page of which a part did not arrive", async () => {
    const context = await world.open();
    await context.route("**/assets/*.js", (route) => route.abort());
    const page = await context.newPage();
    await page.goto("/");
    await page.getByText("load it again").waitFor();
    await context.close();
  });

  it("signs out, after which a copy of the cookie is worth nothing", async () => {
    const page = await world.signIn(token);
    const copy = await page.context().cookies();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByLabel("Kubernetes token").waitFor();
    expect(await page.context().cookies()).toEqual([]);
    expect(await statusWith(copy)).toBe(401);
    await page.context().close();
  });
});

describe("a cookie", () => {
  it.each<[string, (cookie: Cookie) => Cookie]>([
    ["that was cut", (cookie) => ({ ...cookie, value: cookie.value.slice(0, -10) })],
    ["that was changed", (cookie) => ({ ...cookie, value: `${cookie.value.slice(0, -5)}AAAAA` })],
    ["from elsewhere", (cookie) => ({ ...cookie, value: "eyJhbGciOiJkaXIifQ..a.b.c" })],
  ])("%s is none", async (_, change) => {
    const page = await world.signIn(token);
    const cookies = await page.context().cookies();
    expect(await statusWith(cookies)).toBe(200);
    expect(await statusWith(cookies.map(change))).toBe(401);
    await page.context().close();
  });

  it("of another process is none", async () => {
    const other = await openWebWorld();
    const page = await other.signIn(await other.people.caller(viewRules));
    expect(await statusWith(await page.context().cookies())).toBe(401);
    await other.close();
  });
});

describe("a person whose rights end while the page is open", () => {
  async function leaver(): Promise<{ token: string; leave: () => Promise<unknown> }> {
    const { tenant } = world.people.world;
    const name = `leaver-${(leavers += 1)}`;
    const rbac = `/apis/rbac.authorization.k8s.io/v1/namespaces/${tenant}`;
    await create(`${rbac}/roles`, { metadata: { name }, rules: viewRules });
    const token = await world.people.caller([]);
    const account = JSON.parse(Buffer.from(token.split(".")[1]!, "base64url").toString()) as { sub: string };
    await create(`${rbac}/rolebindings`, {
      metadata: { name },
      subjects: [{ kind: "ServiceAccount", name: account.sub.split(":").at(-1), namespace: tenant }],
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name },
    });
    return { token, leave: () => testApi().send("DELETE", `${rbac}/rolebindings/${name}`) };
  }
  let leavers = 0;

  it("no longer sees the list that it showed", async () => {
    await world.people.makeAutomation({ spec: { displayName: "Secret plans" } });
    const { token: leaving, leave } = await leaver();
    const page = await world.signIn(leaving);
    await page.getByText("Secret plans").waitFor({ timeout: 60_000 });
    await leave();
    await page.getByText("Not allowed").waitFor({ timeout: 60_000 });
    expect(await page.content()).not.toContain("Secret plans");
    await page.context().close();
  });

  it("no longer sees the session that it showed, nor what happens in it", async () => {
    const sandbox = await makeSandbox(world.people.world);
    const peer = await RuntimePeer.welcome(world.people.world, world.people.gateway, sandbox);
    const say = (seq: number, text: string): void =>
      peer.send({ type: "event", seq, event: { kind: "output", source: "agent", stream: "stdout", text } });
    const { token: leaving, leave } = await leaver();
    const page = await world.signIn(leaving);
    await page.goto(`/sessions/${world.people.world.tenant}.${sandbox.session}`);
    say(1, "Secret plans\n");
    await page.getByText("Secret plans").waitFor({ timeout: 60_000 });
    await leave();
    await page.getByText("Not allowed").first().waitFor({ timeout: 60_000 });
    say(2, "Later plans\n");
    expect(await page.content()).not.toContain("plans");
    await page.context().close();
  });
});

describe("a sign-in that runs out while the page is open", () => {
  /** As a browser does with a cookie whose time is over. */
  const runOut = (page: Page): Promise<void> => page.context().clearCookies();

  it("takes away what was shown, asks to sign in, and leads back to where the person was", async () => {
    const sandbox = await makeSandbox(world.people.world);
    const { people } = world;
    const peer = await RuntimePeer.welcome(people.world, people.gateway, sandbox);
    const say = (seq: number, text: string): void =>
      peer.send({ type: "event", seq, event: { kind: "output", source: "agent", stream: "stdout", text } });
    say(1, "Secret plans\n");
    const context = await world.open();
    const page = await context.newPage();
    await page.clock.install();
    await page.goto("/");
    await page.getByLabel("Kubernetes token").fill(token);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { name: "Automations" }).waitFor();
    const path = `/sessions/${people.world.tenant}.${sandbox.session}`;
    await page.goto(path);
    await page.getByText("Secret plans").waitFor();
    await runOut(page);
    await page.getByText("You are signed out").first().waitFor();
    expect(await page.content()).not.toContain("Secret plans");
    // The page looks every minute whether it is still signed in.
    await page.clock.fastForward(60_000);
    await page.getByLabel("Kubernetes token").fill(token);
    expect(new URL(page.url()).pathname).toBe(path);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("Secret plans").waitFor();
    expect(new URL(page.url()).pathname).toBe(path);
    await context.close();
  });

  it("changes nothing that is asked for then, and says so", async () => {
    const automation = await world.people.makeAutomation({ spec: { displayName: "Left open" } });
    const page = await world.signIn(await world.people.caller(editRules));
    await page.goto(`/automations/${automation.id}`);
    const pause = page.getByRole("button", { name: "Pause", exact: true });
    await pause.waitFor();
    await page.route(/\/api\/.*(?<!pause)$/, (route) => route.abort());
    await runOut(page);
    await pause.click();
    await page.getByText("sign in first").waitFor();
    expect((await automation.read()).spec.suspend).toBe(false);
    await page.context().close();
  });
});

async function statusWith(cookies: readonly Cookie[]): Promise<number> {
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join("; ");
  const { tenant } = world.people.world;
  return (await fetch(`${world.url}/api/automations?namespace=${tenant}`, { headers: { cookie } })).status;
}
