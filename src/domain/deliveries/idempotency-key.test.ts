import { describe, expect, it } from "vitest";

import { idempotencyKeyReader } from "./idempotency-key.ts";

const alert = { groupKey: '{}:{alertname="A"}', status: "firing", idempotencyKey: "own", labels: { a: "b" } };
const headers = { "x-github-delivery": "72d3162e" };

it("without settings is the sender's own in the body, however long", () => {
  const read = idempotencyKeyReader(undefined);
  expect(read({ value: alert, headers })).toBe("own");
  const long = "k".repeat(60_000);
  expect(read({ value: { idempotencyKey: long }, headers })).toBe(long);
  expect(read({ value: { idempotencyKey: 7 }, headers })).toBeUndefined();
});

describe("with settings", () => {
  it.each([
    { name: "one header, in any case", from: { header: "X-GitHub-Delivery" }, want: "72d3162e" },
    { name: "one path", from: { paths: ["$.groupKey"] }, want: '{}:{alertname="A"}' },
    { name: "a nested path", from: { paths: ["$.labels.a"] }, want: "b" },
    { name: "two paths", from: { paths: ["$.groupKey", "$.status"] }, want: '["{}:{alertname=\\"A\\"}","firing"]' },
    { name: "the same in another order", from: { paths: ["$.status", "$.labels.a"] }, want: '["firing","b"]' },
    {
      name: "header and path",
      from: { header: "X-GitHub-Delivery", paths: ["$.status"] },
      want: '["72d3162e","firing"]',
    },
    { name: "a header that is not there", from: { header: "X-Other" }, want: undefined },
    { name: "a path that is not there", from: { paths: ["$.status", "$.none"] }, want: undefined },
    { name: "a path to an object", from: { paths: ["$.labels"] }, want: undefined },
    { name: "a header of nothing, with a path", from: { header: "X-Empty", paths: ["$.status"] }, want: undefined },
  ])("is made of $name", ({ from, want }) => {
    expect(idempotencyKeyReader(from)({ value: alert, headers: { ...headers, "x-empty": "" } })).toBe(want);
  });

  it.each([7, null, true, "", [], {}, ["a"]])("has none where a part is %j", (part) => {
    expect(idempotencyKeyReader({ paths: ["$.a"] })({ value: { a: part }, headers: {} })).toBeUndefined();
    expect(
      idempotencyKeyReader({ paths: ["$.b", "$.a"] })({ value: { a: part, b: "b" }, headers: {} }),
    ).toBeUndefined();
  });

  it("has none of a header that came more than once without being joined", () => {
    expect(
      idempotencyKeyReader({ header: "Set-Cookie" })({ value: {}, headers: { "set-cookie": ["a", "b"] } }),
    ).toBeUndefined();
  });

  it("tells parts apart wherever they are parted", () => {
    const read = idempotencyKeyReader({ paths: ["$.a", "$.b"] });
    const pairs = [
      ["x", "yz"],
      ["xy", "z"],
      ['x","y', "z"],
      ["x", 'y","z'],
      ["x,y", "z"],
    ];
    const keys = pairs.map(([a, b]) => read({ value: { a, b }, headers: {} }));
    expect(new Set(keys).size).toBe(pairs.length);
  });

  const one = idempotencyKeyReader({ paths: ["$.k"] });
  const keyOf = (k: string): string | undefined => one({ value: { k }, headers: {} });
  const digest = /^runwright-sha256:[0-9a-f]{64}$/;

  it.each([
    { characters: 4_095, isPlain: true },
    { characters: 4_096, isPlain: true },
    { characters: 4_097, isPlain: false },
  ])("of $characters characters is as it is: $isPlain", ({ characters, isPlain }) => {
    const key = "😀".repeat(characters);
    expect(keyOf(key)).toEqual(isPlain ? key : expect.stringMatching(digest));
    // The brackets, quotes and comma of a list count.
    const pair = idempotencyKeyReader({ paths: ["$.k", "$.l"] });
    const joined = pair({ value: { k: "k".repeat(characters - 8), l: "l" }, headers: {} });
    expect(joined).toEqual(isPlain ? expect.stringContaining('","l"]') : expect.stringMatching(digest));
  });

  it("that is too long is told from all others by all of it", () => {
    const long = "k".repeat(5_000);
    expect(keyOf(long)).toBe(keyOf(long));
    const keys = [long, `${long}a`, `${long}b`, `a${long}`, `${long}\ud800`, `${long}\ud801`].map(keyOf);
    expect(new Set(keys).size).toBe(keys.length);
  });

  it("that looks like the digest of another is a digest itself", () => {
    const hashed = keyOf("k".repeat(5_000)) ?? "";
    expect(keyOf(hashed)).toMatch(digest);
    expect(keyOf(hashed)).not.toBe(hashed);
    expect(keyOf("runwright-sha256:")).toMatch(digest);
    expect(keyOf("sha256:abc")).toBe("sha256:abc");
  });
});
