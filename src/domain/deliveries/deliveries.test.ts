import { describe, expect, it } from "vitest";

import { webhookPath } from "./webhook-path.ts";
import { idempotencyKeyOf, parsePayload } from "./payload.ts";
import { receiptOf } from "./receipt.ts";
import { Refusal } from "./refusal.ts";

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

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

it("a webhook path ends with namespace and name", () => {
  expect(webhookPath({ namespace: "demo", name: "alerts" })).toBe("/webhooks/automation/demo.alerts");
});
