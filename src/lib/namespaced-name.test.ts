import { describe, expect, it } from "vitest";
import { parseNamespacedName } from "./namespaced-name.ts";

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
});
