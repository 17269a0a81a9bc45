import { describe, expect, it } from "vitest";

import { readCommonConfig } from "./common.ts";

it("derives the private namespaces from namespace and release", () => {
  expect(readCommonConfig({ POD_NAME: "p", RUNWRIGHT_NAMESPACE: "ops", RUNWRIGHT_RELEASE: "blue" }).release).toEqual({
    name: "blue",
    namespace: "ops",
    keysNamespace: "ops-blue-keys",
    sessionsNamespace: "ops-blue-sessions",
    tokensNamespace: "ops-blue-tokens",
  });
});

it("says that a variable without default is missing", () => {
  expect(() => readCommonConfig({})).toThrow("POD_NAME is not set, but it must be set; it has no default");
});

describe("RUNWRIGHT_WATCH_NAMESPACES", () => {
  const read = (value: string): readonly string[] =>
    readCommonConfig({ POD_NAME: "p", RUNWRIGHT_WATCH_NAMESPACES: value }).watchNamespaces;

  it.each([
    ["", []],
    ["shop", ["shop"]],
    [`shop,team-2,${"n".repeat(63)}`, ["shop", "team-2", "n".repeat(63)]],
  ])("may be %j", (value, want) => {
    expect(read(value)).toEqual(want);
  });

  it.each(["Shop", "shop,", "shop, team", "a.b", "-shop", "n".repeat(64), "shop;team"])("is refused as %j", (value) => {
    expect(() => read(value)).toThrow(
      `RUNWRIGHT_WATCH_NAMESPACES is "${value}", but it must be names of namespaces with commas between them`,
    );
  });

  it("is refused when it names one twice", () => {
    expect(() => read("shop,team,shop")).toThrow("it must name shop once; the default is all of the cluster");
  });
});
