import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { parseNamespacedName } from "../../lib/namespaced-name.ts";
import { webhookPath } from "./webhook-path.ts";
import { idempotencyKeyOf, parsePayload } from "./payload.ts";
import { receiptOf } from "./receipt.ts";
import { Refusal } from "./refusal.ts";
import { keyedRunName, randomNameBytes, randomRunName } from "./run-name.ts";
import { TokenBucket } from "./token-bucket.ts";
import { UncountedRuns } from "../../ingress/cluster/uncounted-runs.ts";

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const label = fc.stringMatching(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/);
const dnsLabel = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

describe("receipt", () => {
  it.each([
    ["triggered", { ok: true, triggered: 1, skipped: 0, steered: 0 }],
    ["skipped", { ok: true, triggered: 0, skipped: 1, steered: 0 }],
    ["unmatched", { ok: true, triggered: 0, skipped: 0, steered: 0 }],
    ["paused", { ok: true, triggered: 0, skipped: 0, steered: 0 }],
  ] as const)("of %s", (verdict, want) => {
    expect(receiptOf(verdict)).toEqual(want);
  });
});

describe("payload", () => {
  it.each(["null", "5", '"x"', "[]", "{}", ' {"a": 1}\n'])("%s is kept as received", (text) => {
    const value: unknown = JSON.parse(text);
    expect(parsePayload(bytesOf(text))).toEqual({ text, value });
  });

  it("drops a byte order mark", () => {
    expect(parsePayload(bytesOf("\uFEFF[1]"))).toEqual({ text: "[1]", value: [1] });
  });

  it.each([
    { name: "nothing", bytes: new Uint8Array(), problem: "empty" },
    { name: "half an object", bytes: bytesOf('{"status":'), problem: "JSON" },
    { name: "two values", bytes: bytesOf("1 2"), problem: "JSON" },
    { name: "blanks", bytes: bytesOf("  "), problem: "JSON" },
    { name: "Latin-1", bytes: Uint8Array.of(0x22, 0xe9, 0x22), problem: "UTF-8" },
    { name: "UTF-16", bytes: Uint8Array.of(0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00), problem: "UTF-8" },
  ])("refuses $name", ({ bytes, problem }) => {
    const take = (): unknown => parsePayload(bytes);
    expect(take).toThrow(Refusal);
    expect(take).toThrow(problem);
  });

  it("survives nesting as deep as 64 KB allow", () => {
    const depth = 32_768;
    expect(parsePayload(bytesOf("[".repeat(depth) + "]".repeat(depth))).text).toHaveLength(65_536);
  });

  it("says no more of a bad body than that it is bad", () => {
    const take = (): unknown => parsePayload(bytesOf('{"password": hunter2'));
    expect(take).toThrow(/^The body is not valid JSON$/);
  });
});

describe("idempotency key", () => {
  it.each([
    ['{"idempotencyKey": "d1"}', "d1"],
    ['{"idempotencyKey": " d1"}', " d1"],
    ['{"idempotencyKey": ""}', undefined],
    ['{"idempotencyKey": 7}', undefined],
    ['{"idempotencyKey": null}', undefined],
    ['{"idempotencyKey": {"a": "b"}}', undefined],
    ['{"nested": {"idempotencyKey": "d1"}}', undefined],
    ['[{"idempotencyKey": "d1"}]', undefined],
    ['"idempotencyKey"', undefined],
    ["null", undefined],
  ])("of %s is %j", (json, want) => {
    expect(idempotencyKeyOf(JSON.parse(json))).toBe(want);
  });
});

describe("run names", () => {
  const automation = { name: "triage-alerts", uid: "0e5f6a1e-8f6e-4c55-9b9e-0f0a4d1c2b3a" };

  it("are the same for the same key", () => {
    expect(keyedRunName(automation, "d1")).toBe(keyedRunName({ ...automation }, "d1"));
    expect(keyedRunName(automation, "d1")).toMatch(/^triage-alerts-[a-z2-7]{26}$/);
  });

  it.each([
    ["case", "d1", "D1"],
    ["blanks", "d1", " d1"],
    ["unpaired surrogates", "\ud800", "\ud801"],
    ["Unicode forms", "\u00e9", "e\u0301"],
  ])("differ by %s", (_what, one, other) => {
    expect(keyedRunName(automation, one)).not.toBe(keyedRunName(automation, other));
  });

  it("differ by automation, also by one that has the name again", () => {
    expect(keyedRunName(automation, "d1")).not.toBe(keyedRunName({ ...automation, uid: "other" }, "d1"));
  });

  it("begin with at most 30 characters of the automation's and are DNS labels", () => {
    expect(keyedRunName({ ...automation, name: "a".repeat(29) + "--b" }, "k")).toMatch(/^a{29}-[a-z2-7]{26}$/);
    const bytes = fc.uint8Array({ minLength: randomNameBytes, maxLength: randomNameBytes });
    fc.assert(
      fc.property(label, fc.string(), bytes, (name, key, random) => {
        const names = [keyedRunName({ name, uid: "u" }, key), randomRunName({ name }, random)];
        // A Session's name adds up to three characters.
        for (const one of names) expect(one).toSatisfy((text: string) => dnsLabel.test(text) && text.length <= 60);
        expect(names[1]).toMatch(/-[a-z2-7]{10}$/);
      }),
    );
  });
});

describe("automation id", () => {
  it.each([
    ["demo.alerts", { namespace: "demo", name: "alerts" }],
    [`${"n".repeat(63)}.${"a".repeat(63)}`, { namespace: "n".repeat(63), name: "a".repeat(63) }],
    [`${"n".repeat(64)}.a`, undefined],
    [`n.${"a".repeat(64)}`, undefined],
    ["demo", undefined],
    ["demo.", undefined],
    [".alerts", undefined],
    ["demo.alerts.more", undefined],
    ["Demo.alerts", undefined],
    ["demo.-alerts", undefined],
    ["demo%2Ealerts", undefined],
    ["../secrets.x", undefined],
    ["", undefined],
  ])("%s", (text, want) => {
    expect(parseNamespacedName(text)).toEqual(want);
  });

  it("is what the path ends with", () => {
    expect(webhookPath({ namespace: "demo", name: "alerts" })).toBe("/webhooks/automation/demo.alerts");
  });
});

describe("token bucket", () => {
  const limits = { perSecond: 5, burst: 3 };

  it("gives its burst, then one each 200 ms", () => {
    const bucket = new TokenBucket();
    expect([1, 2, 3].map(() => bucket.take(limits, 1_000))).toEqual([0, 0, 0]);
    expect(bucket.take(limits, 1_000)).toBe(200);
    expect(bucket.take(limits, 1_199)).toBeCloseTo(1);
    expect(bucket.take(limits, 1_200)).toBe(0);
    expect(bucket.take(limits, 1_200)).toBeCloseTo(200);
  });

  it("never holds more than its burst", () => {
    const bucket = new TokenBucket();
    bucket.take(limits, 0);
    expect([1, 2, 3, 4].map(() => bucket.take(limits, 3_600_000) === 0)).toEqual([true, true, true, false]);
  });

  it("is idle once it must be full", () => {
    const bucket = new TokenBucket();
    bucket.take(limits, 1_000);
    expect(bucket.isIdle(limits, 1_599)).toBe(false);
    expect(bucket.isIdle(limits, 1_600)).toBe(true);
  });
});

describe("uncounted runs", () => {
  const before = { version: "1", lastRunName: undefined, readMs: 0 };

  it("count until the controller's count names one of them or a later one", () => {
    const runs = new UncountedRuns();
    for (const name of ["r1", "r2", "r3"]) runs.add(name, before, 10);
    expect(runs.count({ ...before, readMs: 500 })).toBe(3);
    expect(runs.count({ version: "2", lastRunName: "r2", readMs: 1_000 })).toBe(1);
    expect(runs.count({ version: "3", lastRunName: "r3", readMs: 1_500 })).toBe(0);
  });

  it("are taken for counted when the automation was written since, two seconds later", () => {
    const runs = new UncountedRuns();
    runs.add("r1", before, 1_000);
    expect(runs.count({ version: "2", lastRunName: "elsewhere", readMs: 2_999 })).toBe(1);
    expect(runs.count({ version: "2", lastRunName: "elsewhere", readMs: 3_000 })).toBe(0);
  });

  it("stay while the controller is away, for ten minutes", () => {
    const runs = new UncountedRuns();
    runs.add("r1", before, 0);
    expect(runs.count({ ...before, readMs: 599_999 })).toBe(1);
    expect(runs.count({ ...before, readMs: 600_000 })).toBe(0);
  });

  it("are looked through once for each read, however many deliveries it serves", () => {
    const runs = new UncountedRuns();
    const seen = { version: "2", lastRunName: "r1", readMs: 500 };
    runs.add("r1", before, 10);
    expect(runs.count(seen)).toBe(0);
    runs.add("r2", seen, 600);
    expect(runs.count(seen)).toBe(1);
  });
});
