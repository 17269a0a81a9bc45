import { describe, expect, it } from "vitest";
import { mergeScopes, sessionSizeProblem } from "./merge.ts";
import type { SecretScope } from "./scope.ts";

interface Entry {
  key: string;
  bytes: number;
  value: string;
}

function aScope(label: string, values: Record<string, string>): SecretScope<Entry> {
  const entries = Object.entries(values).map(([key, value]) => ({ key, value, bytes: value.length }));
  return { label, entries };
}

/** A scope whose values are of these many bytes. */
function sized(label: string, sizes: Record<string, number>): SecretScope {
  return { label, entries: Object.entries(sizes).map(([key, bytes]) => ({ key, bytes })) };
}

function merged(...scopes: Record<string, string>[]): Record<string, string> {
  const { entries } = mergeScopes(scopes.map((values, index) => aScope(`scope ${index}`, values)));
  return Object.fromEntries(entries.map(({ key, value }) => [key, value]));
}

describe("merging, weakest first,", () => {
  it.each([
    ["lets the later scope win", [{ A: "1", B: "1" }, { B: "2" }], { A: "1", B: "2" }],
    ["takes names that differ in case as one", [{ a: "1" }, { A: "2" }], { A: "2" }],
    ["keeps an empty value that wins", [{ F: "x" }, { F: "" }], { F: "" }],
    ["has one scope win over all before it", [{ E: "0" }, { E: "1" }, {}], { E: "1" }],
    ["keeps a single scope as it is", [{ A: "1" }], { A: "1" }],
    ["has nothing without scopes", [], {}],
  ])("%s", (_, scopes: Record<string, string>[], want) => {
    expect(merged(...scopes)).toEqual(want);
  });

  it("keeps names that objects have by themselves", () => {
    const inherited = JSON.parse('{"__proto__":"one","constructor":"two"}') as Record<string, string>;
    expect(mergeScopes([aScope("global", inherited)]).entries.map(({ key }) => key)).toEqual([
      "__proto__",
      "constructor",
    ]);
  });

  it("tells which scope won over which", () => {
    const { overrides } = mergeScopes([aScope("global", { a: "1" }), aScope("repository shop", { A: "2" })]);
    expect(overrides).toEqual([{ key: "A", winner: "repository shop", loser: "global" }]);
  });

  it("counts each surviving value once, on the account of the scope that won", () => {
    const { scopes } = mergeScopes([sized("global", { K: 10_240 }), sized("repository shop", { k: 1 })]);
    expect(scopes).toEqual([sized("repository shop", { k: 1 })]);
  });
});

describe("the size of a session's secrets", () => {
  const global = sized("global", { GA: 10_000, GB: 10_000, SHARED: 10_000 });
  const web = sized("repository web", { W1: 12_000, W2: 12_000, W3: 12_000, W4: 12_000, SHARED: 6_000 });
  const api = sized("repository api", { A1: 15_000, A2: 15_000, A3: 15_000, SHARED: 16_000 });
  const docs = sized("repository docs", { D: 15_000 });

  it.each([
    ["a sum that is too large before merging", [global, api, web]],
    ["another order of the same, which comes to more", [global, web, api]],
    ["exactly the limit", [sized("global", { A: 65_536 }), sized("repository shop", { B: 65_536 })]],
    ["one byte below it", [sized("global", { A: 65_536 }), sized("repository shop", { B: 65_535 })]],
  ])("may be %s", (_, scopes) => {
    expect(sessionSizeProblem(mergeScopes(scopes))).toBeUndefined();
  });

  it("is broken down by scope, largest first, where it is too large", () => {
    expect(sessionSizeProblem(mergeScopes([global, docs, api, web]))).toBe(
      "the secrets of a session have 134000 bytes together and may have at most 131072: repository web 54000 bytes (5 keys), repository api 45000 bytes (3 keys), global 20000 bytes (2 keys), repository docs 15000 bytes (1 key)",
    );
  });

  it("may not be one byte more, and names scopes of the same size by their names", () => {
    const scopes = [
      sized("global", { A: 1 }),
      sized("repository web", { W: 65_536 }),
      sized("repository api", { V: 65_536 }),
    ];
    expect(sessionSizeProblem(mergeScopes(scopes))).toMatch(
      /131073 bytes .* repository api 65536 .* repository web 65536 /,
    );
  });
});
