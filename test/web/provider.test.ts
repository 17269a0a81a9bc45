import { getCACertificates, setDefaultCACertificates } from "node:tls";

import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, inject, it } from "vitest";

import { create } from "../support/runtime-world.ts";
import { openWebWorld, viewRules, type WebWorld } from "./world.ts";
import type {} from "./web.setup.ts";

let world: WebWorld;
const issuer = inject("testIssuer");

beforeAll(async () => {
  // As NODE_EXTRA_CA_CERTS does for a process.
  setDefaultCACertificates([...getCACertificates("default"), issuer.authority]);
  world = await openWebWorld({
    port: issuer.pagePort,
    takesTokens: false,
    provider: {
      issuer: issuer.url,
      clientId: issuer.clientId,
      clientSecretFile: "",
      scopes: "openid",
      pageUrl: `http://127.0.0.1:${issuer.pagePort}`,
    },
  });
  const rbac = `/apis/rbac.authorization.k8s.io/v1/namespaces/${world.people.world.tenant}`;
  await create(`${rbac}/roles`, { metadata: { name: "of-anna" }, rules: viewRules });
  await create(`${rbac}/rolebindings`, {
    metadata: { name: "of-anna" },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "oidc:anna" }],
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "of-anna" },
  });
  await world.people.makeAutomation({ spec: { displayName: "Triage" } });
});
afterAll(() => world.close());

async function toProvider(path = "/"): Promise<Page> {
  const context = await world.open({ ignoreHTTPSErrors: true });
  const page = await context.newPage();
  await page.goto(path);
  await page.getByRole("link", { name: "Sign in with your identity provider" }).click();
  await page.locator('input[name="login"]').waitFor();
  return page;
}

async function signInAs(name: string, path?: string): Promise<Page> {
  const page = await toProvider(path);
  await logIn(page, name);
  return page;
}

/** At the provider. */
async function logIn(page: Page, name: string): Promise<void> {
  await page.locator('input[name="login"]').fill(name);
  await page.locator('input[name="password"]').fill("any");
  await page.getByRole("button").click();
  await page.getByRole("button", { name: "Continue" }).click();
}

it("a person signs in at the provider and has the rights of that name in the cluster", async () => {
  const page = await signInAs("anna");
  await page.getByText("Triage").waitFor({ timeout: 60_000 });
  await page.getByText("oidc:anna").waitFor();
  expect(page.url()).toBe(`${world.url}/`);
  const cookies = await page.context().cookies(world.url);
  // The provider of this test is at the same address, and has cookies of its own.
  const ours = cookies.filter(({ name }) => name.includes("runwright"));
  expect(ours.map(({ name }) => name)).toEqual(["__Host-runwright-session-0"]);
  expect(await page.getByLabel("Kubernetes token").count()).toBe(0);
  await page.getByText("Triage").click();
  await page.getByRole("heading", { name: "Webhook" }).waitFor();
  expect(await page.getByRole("button", { name: "Pause" }).count()).toBe(0);
  await page.context().close();
});

it("a person who came to an address is led back there", async () => {
  const page = await signInAs("anna", "/sessions?namespace=default");
  await page.getByRole("heading", { name: "Sessions" }).waitFor({ timeout: 60_000 });
  expect(page.url()).toBe(`${world.url}/sessions?namespace=default`);
  await page.context().close();
});

it.each(["https://attacker.example/", "//attacker.example/automations", "/page/sign-out", "/etc/passwd"])(
  "no sign-in leads to %s",
  async (to) => {
    const context = await world.open({ ignoreHTTPSErrors: true });
    const page = await context.newPage();
    await page.goto(`/page/provider?to=${encodeURIComponent(to)}`);
    await logIn(page, "anna");
    await page.getByText("oidc:anna").waitFor({ timeout: 60_000 });
    expect(page.url()).toBe(`${world.url}/`);
    await page.context().close();
  },
);

it("another person sees that a right is missing", async () => {
  const page = await signInAs("bob");
  await page.getByText(/oidc:bob may not list automations/).waitFor({ timeout: 60_000 });
  await page.context().close();
});

it("a tampered state, and an answer to another browser, sign no person in", async () => {
  const page = await toProvider();
  const answers = ["?code=stolen&state=forged", "?error=access_denied&state=forged", ""];
  for (const answer of answers) {
    await page.goto(`${world.url}/page/provider/callback${answer}`);
    await page.getByText("The identity provider did not sign you in.").waitFor();
  }
  const other = await world.open();
  const elsewhere = await other.newPage();
  await elsewhere.goto(`${world.url}/page/provider/callback?code=stolen&state=forged`);
  await elsewhere.getByText("The identity provider did not sign you in.").waitFor();
  expect(await other.cookies()).toEqual([]);
  await other.close();
  await page.context().close();
});

it("takes no tokens where tokens are switched off", async () => {
  const context = await world.open();
  const page = await context.newPage();
  await page.goto("/");
  const status = await page.evaluate(async () => {
    const headers = { "content-type": "application/json" };
    return (await fetch("/page/sign-in", { method: "POST", headers, body: '{"token":"x"}' })).status;
  });
  expect(status).toBe(404);
  await context.close();
});

it("a person whose sign-in was not tried reads why, and what to do", async () => {
  const context = await world.open();
  const page = await context.newPage();
  await page.goto(`${world.url}/?sign-in=busy`);
  await page.getByText(/yours was not tried\. Try again in some seconds\./).waitFor();
  await context.close();
});
