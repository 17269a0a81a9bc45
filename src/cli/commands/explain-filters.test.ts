import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { filterCaseBody, filterCases } from "../../../test/fixtures/filter-cases.ts";
import { anAutomation } from "../../../test/support/builders.ts";
import type { Automation, AutomationSpec, Filter } from "../../api/v1alpha1/index.ts";
import { systemClock } from "../../lib/clock.ts";
import { systemRandom } from "../../lib/random.ts";
import { openCluster, type ContextName } from "../cluster/cluster.ts";
import { commands } from "../commands.ts";
import { explainDelivery } from "./explain-filters.ts";
import { explanationText } from "./explanation.ts";
import { runCli } from "../run-cli.ts";

const failed: Filter = { path: "$.status", operator: "eq", value: "failed" };
const many: Filter = { path: "$.count", operator: "gte", value: 5 };

function automation(filters: Filter[], rest: Partial<AutomationSpec> = {}): Automation {
  const trigger = { type: "Webhook", webhook: { filters } } as AutomationSpec["trigger"];
  return anAutomation({ metadata: { namespace: "demo", name: "alerts", uid: "u" }, spec: { trigger, ...rest } });
}

const explain = (of: Automation, body: string) => explainDelivery(of, Buffer.from(body));

describe("an explanation", () => {
  it.each(filterCases.filter(({ refusedWhenApplied }) => !refusedWhenApplied))(
    "judges as the ingress does, row $row",
    ({ filter, matches }) => {
      const { decision, filters } = explain(automation([filter]), filterCaseBody);
      expect(decision).toBe(matches ? "Started" : "Filtered");
      expect(filters).toMatchObject([{ ...filter, matches }]);
    },
  );

  it("shows characters that a terminal would obey or hide as escapes", () => {
    const body = JSON.stringify({ status: "\u009b2Jfailed", idempotencyKey: "k\u202e1\u0085" });
    const text = explanationText(explain(automation([failed]), body));
    expect(text).toContain('$.status is "\\u009b2Jfailed", but must be "failed"');
    expect(text).toContain('Idempotency key: "k\\u202e1\\u0085"');
  });

  it("says for every filter what was found, also after one that does not match", () => {
    const { decision, message, filters } = explain(automation([many, failed]), filterCaseBody);
    expect(decision).toBe("Filtered");
    expect(message).toBe("filters[0]: $.count is 3, but must be a number of at least 5");
    expect(filters?.map(({ matches }) => matches)).toEqual([false, true]);
    expect(filters?.[1]?.message).toBe('$.status is "failed"');
  });

  it.each([
    { name: "is paused by hand", of: automation([failed], { suspend: true }), want: "paused by hand" },
    {
      name: "is paused by failures",
      of: {
        ...automation([]),
        status: { conditions: [{ type: "Paused", status: "True", reason: "TooManyFailures" }] },
      } as unknown as Automation,
      want: "after consecutive failures",
    },
  ])("says that the automation $name", ({ of, want }) => {
    const { decision, message } = explain(of, filterCaseBody);
    expect({ decision, message }).toEqual({ decision: "Paused", message: expect.stringContaining(want) as string });
  });

  it.each([
    ["", "InvalidPayload"],
    ["{", "InvalidPayload"],
    [`{"p":"${"x".repeat(65_528)}"}`, "Started"],
    [`{"p":"${"x".repeat(65_529)}"}`, "PayloadTooLarge"],
  ])("judges the body too: %#", (body, decision) => {
    expect(explain(automation([]), body).decision).toBe(decision);
  });

  it("names the idempotency key and the Run that it belongs to", () => {
    const { idempotencyKey, runName } = explain(automation([]), '{"idempotencyKey":"k"}');
    expect(idempotencyKey).toBe("k");
    expect(runName).toMatch(/^alerts-[a-z2-7]{26}$/);
  });

  it("says how senders prove themselves, and what the key is made of", () => {
    const webhook = {
      authentication: { type: "HMAC", hmac: { preset: "github" } },
      idempotencyKeyFrom: { header: "X-GitHub-Delivery", paths: ["$.action"] },
    };
    const of = automation([], { trigger: { type: "Webhook", webhook } as unknown as AutomationSpec["trigger"] });
    const body = Buffer.from('{"action":"opened"}');
    const without = explanationText(explainDelivery(of, body));
    expect(without).toContain(
      "Senders prove themselves with a signature in x-hub-signature-256, which was not checked",
    );
    expect(without).toContain("Idempotency key, made of the header X-GitHub-Delivery and $.action: none");
    const { idempotencyKey, runName } = explainDelivery(of, body, { "x-github-delivery": "72d3" });
    expect([idempotencyKey, runName]).toEqual(['["72d3","opened"]', expect.stringMatching(/^alerts-/)]);
  });

  it("refuses another trigger", () => {
    const of = automation([], { trigger: { type: "Schedule" } });
    expect(() => explain(of, "{}")).toThrow("Automation alerts has trigger type Schedule, which takes no deliveries");
  });

  it("is a table for people", () => {
    const text = explanationText(explain(automation([many, failed]), filterCaseBody));
    expect(text.split("\n")).toEqual(
      expect.arrayContaining([
        "#  FILTER                MATCHES  FOUND",
        "0  $.count gte 5         no       $.count is 3, but must be a number of at least 5",
        '1  $.status eq "failed"  yes      $.status is "failed"',
        "Filtered: filters[0]: $.count is 3, but must be a number of at least 5",
      ]),
    );
  });
});

describe("an explanation for an error tracker", () => {
  const tracker = (rest: Partial<AutomationSpec> = {}, settings: object = { projects: ["checkout"] }): Automation => {
    const trigger = { type: "ErrorTracker", errorTracker: { events: ["IssueCreated"], ...settings } };
    return automation([], { trigger: trigger as AutomationSpec["trigger"], ...rest });
  };
  const created = (slug: string): string =>
    JSON.stringify({ action: "created", data: { issue: { id: "42", project: { slug } } } });

  it("names the identity of an event that is wanted, and its Run", () => {
    const explanation = explain(tracker(), created("checkout"));
    expect(explanation).toEqual({
      decision: "Started",
      message: "The event is IssueCreated; a Run would start",
      idempotencyKey: "issue 42",
      runName: expect.stringMatching(/^alerts-[a-z2-7]{26}$/) as string,
    });
    expect(explanationText(explanation)).toMatch(/^Idempotency key: "issue 42"; its Run is alerts-\w+\n\nStarted: /);
  });

  it("says why an event is not wanted", () => {
    const explanation = explain(tracker(), created("web"));
    expect(explanationText(explanation)).toBe(
      'Filtered: The event has the project "web", but it must be one of checkout',
    );
  });

  it.each(["checkout", "web"])("says that the automation is paused, as the ingress does first: %s", (slug) => {
    const { decision, message } = explain(tracker({ suspend: true }), created(slug));
    expect([decision, message]).toEqual(["Paused", expect.stringContaining("paused by hand")]);
  });

  it.each([
    ["{", "InvalidPayload"],
    [created("checkout").padEnd(262_144), "Started"],
    [created("checkout").padEnd(262_145), "PayloadTooLarge"],
  ])("judges the body too: %#", (body, decision) => {
    expect(explain(tracker(), body).decision).toBe(decision);
  });

  it("guesses nothing where the settings cannot be read", () => {
    expect(() => explain(tracker({}, { events: ["Other"] }), "{}")).toThrow(/spec.trigger.errorTracker cannot be read/);
  });
});

describe("without a cluster", () => {
  let directory: string;
  beforeAll(async () => (directory = await mkdtemp(join(tmpdir(), "runwright-explain-"))));
  afterAll(() => rm(directory, { recursive: true, force: true }));

  const manifest = (spec: string): string => `
kind: ConfigMap
metadata: {name: alerts}
---
apiVersion: runwright.dev/v1alpha1
kind: Automation
metadata: {name: alerts, namespace: demo}
spec: ${spec}
`;
  const good = `{instructions: do, serviceAccountName: runner, trigger: {type: Webhook, webhook: {filters: [{path: $.a, operator: exists}]}}}`;

  async function offline(
    text: string,
    name = "alerts",
    payload = "payload.json",
    headers: readonly string[] = [],
  ): Promise<unknown> {
    await Promise.all([
      writeFile(join(directory, "automation.yaml"), text),
      writeFile(join(directory, "payload.json"), '{"a":1}'),
    ]);
    const written: string[] = [];
    const io = { write: (one: string) => void written.push(one), note: (one: string) => void written.push(one) };
    const files = ["-f", join(directory, payload), "--automation-file", join(directory, "automation.yaml")];
    const context = {
      commands,
      io: { ...io, confirm: undefined },
      openCluster: (name: ContextName) => openCluster(systemClock, name),
      clock: systemClock,
      random: systemRandom,
      page: () => [],
    };
    const status = await runCli(context, [
      "explain",
      `demo/${name}`,
      "-o",
      "json",
      ...files,
      ...headers.flatMap((one) => ["--header", one]),
    ]);
    if (status !== 0) throw new Error(written.join("\n"));
    return JSON.parse(written.join(""));
  }

  it("judges by a manifest", async () => {
    expect(await offline(manifest(good))).toMatchObject({ automation: "demo/alerts", decision: "Started" });
  });

  const other = manifest(good.replace("$.a", "$.b"));
  const indented = (text: string): string => text.trim().replaceAll("\n", "\n  ");
  const [, single = ""] = manifest(good).split("---\n");
  it.each([
    {
      name: "with a byte order mark and line ends of others",
      text: `\ufeff${manifest(good).trimStart().replaceAll("\n", "\r\n")}`,
    },
    { name: "of a list", text: `kind: List\nitems:\n- ${indented(single)}\n` },
    {
      name: "beside one of its name in another namespace",
      text: `${other.replace("namespace: demo", "namespace: test")}---${manifest(good)}`,
    },
    {
      name: "without a namespace, beside such a one",
      text: `${other.replace("namespace: demo", "namespace: test")}---${manifest(good.replace(", namespace: demo", ""))}`,
    },
    {
      name: "with an anchor",
      text: manifest(good).replace("{path: $.a, operator: exists}", "&one {path: $.a, operator: exists}, *one"),
    },
  ])("judges by a manifest $name", async ({ text }) => {
    expect(await offline(text)).toMatchObject({ decision: "Started" });
  });

  it.each([
    { name: "as it is", headers: ["X-Id: a b"], key: "a b" },
    { name: "in another case, with blanks around it", headers: ["x-ID:\t a \r\n"], key: "a" },
    { name: "in bytes that are no ASCII", headers: ["X-Id: é"], key: "Ã©" },
    { name: "twice", headers: ["X-Id: a", "x-id: b"], key: "a, b" },
    { name: "empty", headers: ["X-Id:"], key: undefined },
  ])("reads a header $name as the ingress does", async ({ headers, key }) => {
    const keyed = manifest(good.replace("webhook: {", "webhook: {idempotencyKeyFrom: {header: X-ID}, "));
    const explained = await offline(keyed, "alerts", "payload.json", headers);
    expect((explained as { idempotencyKey?: string }).idempotencyKey).toBe(key);
  });

  it.each([
    {
      name: "one twice, in one document",
      text: manifest("{instructions: a, instructions: b}"),
      of: "alerts",
      says: "unique",
    },
    {
      name: "it in another namespace",
      text: manifest(good).replace("namespace: demo", "namespace: test"),
      of: "alerts",
      says: "no Automation named alerts in namespace demo; it has one in test",
    },
    { name: "no such automation", text: manifest(good), of: "other", says: "has no Automation named other" },
    { name: "what the API server would refuse", text: manifest("{trigger: {type: Webhook}}"), says: "instructions" },
    { name: "what is no YAML", text: "a: [", says: "automation.yaml" },
  ])("refuses a manifest that has $name", async ({ text, of, says }) => {
    await expect(offline(text, of)).rejects.toThrow(says);
  });

  it("names a file that cannot be read", async () => {
    await expect(offline(manifest(good), "alerts", "nowhere.json")).rejects.toThrow("nowhere.json cannot be read");
  });
});
