import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";

import { testApi } from "../support/cluster.ts";
import { editRules, openWebWorld, type WebWorld } from "./world.ts";

let world: WebWorld;
let token: string;

beforeAll(async () => {
  world = await openWebWorld();
  token = await world.people.caller(editRules);
});
afterAll(() => world.close());

interface Form {
  page: Page;
  /** What Copy YAML copies. */
  copied: () => Promise<string>;
  close: () => Promise<void>;
}

async function open(path: string, heading: string): Promise<Form> {
  const page = await world.signIn(token);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  const problems: string[] = [];
  page.on("console", (message) => problems.push(message.text()));
  page.on("pageerror", (error) => problems.push(error.message));
  await page.goto(path);
  await page.getByRole("heading", { name: heading }).waitFor();
  return {
    page,
    async copied() {
      await page.getByRole("button", { name: "Copy YAML" }).click();
      await page.getByRole("button", { name: "Copied" }).waitFor();
      return page.evaluate(() => navigator.clipboard.readText());
    },
    async close() {
      expect(problems).toEqual([]);
      await page.context().close();
    },
  };
}

/** Fills in a field and leaves it. */
async function fill(page: Page, label: string, text: string): Promise<void> {
  const field = page.getByLabel(label, { exact: true });
  await field.fill(text);
  await field.blur();
}

/** What is said at a field. */
async function problemAt(page: Page, label: string): Promise<string | undefined> {
  const field = page.getByLabel(label, { exact: true });
  const id = await field.getAttribute("aria-describedby");
  expect(await field.getAttribute("aria-invalid")).toBe(String(id !== null));
  return id === null ? undefined : page.locator(`[id="${id}"]`).innerText();
}

/** What the API server says to an object, which is not stored. */
async function refusalOf(plural: string, yaml: string): Promise<string | undefined> {
  const object = parse(yaml) as { apiVersion: string; metadata: { namespace: string } };
  const base = object.apiVersion === "v1" ? "/api/v1" : `/apis/${object.apiVersion}`;
  const path = `${base}/namespaces/${object.metadata.namespace}/${plural}?dryRun=All`;
  const { status, body } = await testApi().send("POST", path, object);
  return status < 300 ? undefined : (body as { message: string }).message;
}

describe("the form of an automation", () => {
  it("says at each field what the API server would refuse, and lists the fields", async () => {
    const { page, copied, close } = await open("/new", "New automation");
    await page.getByText("The API server would refuse this. Change: Instructions, ServiceAccount.").waitFor();
    expect(await problemAt(page, "Instructions")).toBeUndefined();
    await fill(page, "Name", "My_Automation");
    await fill(page, "Instructions", "  ");
    await fill(page, "ServiceAccount", "default");
    await page.getByLabel("Trigger").selectOption("Schedule");
    await fill(page, "Cron", "*/5 * * * *");
    await fill(page, "Time zone", "Mars/Olympus");
    expect(await problemAt(page, "Name")).toContain("must be a DNS label");
    expect(await problemAt(page, "Instructions")).toBe("must not be blank");
    expect(await problemAt(page, "ServiceAccount")).toContain("must not be default");
    expect(await problemAt(page, "Cron")).toContain("15 minutes apart");
    expect(await problemAt(page, "Time zone")).toContain("tz database");
    expect(await refusalOf("automations", await copied())).toBeDefined();
    const { violations } = await new AxeBuilder({ page }).analyze();
    expect(violations.map(({ id, nodes }) => [id, nodes[0]?.html])).toEqual([]);

    await fill(page, "Name", "nightly");
    await fill(page, "Instructions", "Do it.");
    await fill(page, "ServiceAccount", "runner");
    await fill(page, "Cron", "0 6 * * *");
    await fill(page, "Time zone", "Europe/Paris");
    for (const label of ["Name", "Instructions", "ServiceAccount", "Cron", "Time zone"]) {
      expect([label, await problemAt(page, label)]).toEqual([label, undefined]);
    }
    expect(await page.getByText("The API server would refuse this").count()).toBe(0);
    await page.getByRole("button", { name: "Copied" }).waitFor({ state: "detached" });
    expect(await refusalOf("automations", await copied())).toBeUndefined();
    await close();
  });

  it("writes numbers as numbers, and the tester compares them as the ingress does", async () => {
    const { page, copied, close } = await open("/new", "New automation");
    await page.getByRole("button", { name: "Add a filter" }).click();
    await page.getByLabel("Path of filter 1").fill("$.count");
    await page.getByLabel("Value of filter 1").fill("3");
    const payload = page.getByLabel("A payload, as a sender would post it");
    const verdict = page.getByRole("cell", { name: /^(yes|no)$/ });
    const judged = async (body: string): Promise<string> => {
      await payload.fill(body);
      return verdict.innerText();
    };
    expect(await judged('{"count": 3}')).toBe("yes");
    expect(await judged('{"count": 3.0}')).toBe("yes");
    expect(await judged('{"count": "3"}')).toBe("no");
    await page.getByLabel("Value of filter 1").fill("03");
    expect(await judged('{"count": 3}')).toBe("no");
    expect(await judged('{"count": "03"}')).toBe("yes");
    await page.getByLabel("Operator of filter 1").selectOption("gte");
    await page.getByText("value must be a number for the operators").waitFor();
    await page.getByText("The API server would refuse this. Change: Instructions, ServiceAccount, Filters.").waitFor();
    await page.getByLabel("Value of filter 1").fill("-0.5");
    expect(await judged('{"count": -0.5}')).toBe("yes");
    expect(await judged('{"count": -0.6}')).toBe("no");
    expect(await judged('{"count": "1"}')).toBe("no");
    const { spec } = parse(await copied()) as { spec: { trigger: { webhook: { filters: object[] } } } };
    expect(spec.trigger.webhook.filters).toEqual([{ path: "$.count", operator: "gte", value: -0.5 }]);
    await close();
  });
});

describe("the form of a Secret", () => {
  const value = "s3cr3t-value-of-the-test";

  it("is found from the form of an automation, and refuses what the API server would", async () => {
    const { page, copied, close } = await open("/new", "New automation");
    await page.getByRole("link", { name: "the YAML of a Secret" }).click();
    await page.getByRole("heading", { name: "New Secret" }).waitFor();
    await fill(page, "Key 1", "path");
    await fill(page, "Value 1", "x".repeat(16_385));
    expect(await problemAt(page, "Key 1")).toBe("this key is reserved for the platform, in any case");
    expect(await problemAt(page, "Value 1")).toBe("the value has 16385 bytes and may have at most 16384");
    await page.getByText("The API server would refuse this. Change: Key 1, Value 1.").waitFor();
    expect(await refusalOf("secrets", await copied())).toMatch(/data\[path\]: this key is reserved/);
    const { violations } = await new AxeBuilder({ page }).analyze();
    expect(violations.map(({ id, nodes }) => [id, nodes[0]?.html])).toEqual([]);

    await fill(page, "Key 1", "DATABASE_URL");
    await fill(page, "Value 1", "x".repeat(16_384));
    await page.getByLabel("Who gets them").selectOption("repository");
    await page.getByText("The API server would refuse this. Change: Repository.").waitFor();
    await fill(page, "Repository", "checkout");
    expect(await page.getByText("The API server would refuse this").count()).toBe(0);
    await page.getByRole("button", { name: "Copied" }).waitFor({ state: "detached" });
    expect(await refusalOf("secrets", await copied())).toBeUndefined();
    await close();
  });

  it.each([
    ["Variables of hooks and agents", "Value 1"],
    ["Secret with which a sender signs", "Signing secret"],
    ["Token or key that a sender sends", "Token"],
  ])(
    "for %s has the value in the field and in what is copied alone, and nowhere once it is left",
    async (use, label) => {
      const { page, copied, close } = await open("/new-secret", "New Secret");
      await page.getByLabel("For", { exact: true }).selectOption({ label: use });
      if (label === "Value 1") await fill(page, "Key 1", "A_KEY");
      await fill(page, label, value);
      const yaml = await copied();
      expect(yaml.includes(value)).toBe(label !== "Token");
      const nowhere = async (): Promise<void> => {
        expect(await page.content()).not.toContain(value);
        const kept = await page.evaluate(() =>
          JSON.stringify([localStorage, sessionStorage, history.state, location.href]),
        );
        expect(kept).not.toContain(value);
        expect(JSON.stringify(await page.context().storageState())).not.toContain(value);
      };
      await nowhere();
      await page.getByRole("link", { name: "Automations" }).first().click();
      await page.getByRole("heading", { name: "Automations" }).waitFor();
      await nowhere();
      await page.goBack();
      await page.getByRole("heading", { name: "New Secret" }).waitFor();
      await page.getByLabel("For", { exact: true }).selectOption({ label: use });
      expect(await page.getByLabel(label, { exact: true }).inputValue()).toBe("");
      await fill(page, label, value);
      await page.reload();
      await page.getByRole("heading", { name: "New Secret" }).waitFor();
      await page.getByLabel("For", { exact: true }).selectOption({ label: use });
      expect(await page.getByLabel(label, { exact: true }).inputValue()).toBe("");
      await nowhere();
      await close();
    },
  );

  it("forgets its values when the browser leaves the page and may keep it", async () => {
    const { page, close } = await open("/new-secret", "New Secret");
    await fill(page, "Key 1", "A_KEY");
    await fill(page, "Value 1", value);
    await page.evaluate(() => dispatchEvent(new PageTransitionEvent("pagehide", { persisted: true })));
    expect(await page.getByLabel("Value 1", { exact: true }).inputValue()).toBe("");
    expect(await page.getByLabel("Key 1", { exact: true }).inputValue()).toBe("A_KEY");
    await close();
  });
});
