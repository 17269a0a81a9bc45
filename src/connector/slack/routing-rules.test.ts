import { describe, expect, it } from "vitest";

import type { Target } from "../../api/v1alpha1/index.ts";
import { hasKeyword } from "./routing-rules.ts";
import { decideTarget } from "./target.ts";

it.each([
  { keyword: "api", text: "the API is down", isIn: true },
  { keyword: "api", text: "(api)", isIn: true },
  { keyword: "api", text: "api.", isIn: true },
  { keyword: "api", text: "api", isIn: true },
  { keyword: "api", text: "rapidly failing", isIn: false },
  { keyword: "api", text: "apis", isIn: false },
  { keyword: "api", text: "apis and the api", isIn: true },
  { keyword: "api", text: "api_v2 fails", isIn: false },
  { keyword: "api", text: "api-v2 fails", isIn: true },
  { keyword: "c++", text: "a c++ build", isIn: true },
  { keyword: "c++", text: "see c++.", isIn: true },
  { keyword: "c++", text: "c++11 build", isIn: false },
  { keyword: ".*", text: "anything", isIn: false },
  { keyword: "billing page", text: "the Billing Page fails", isIn: true },
  { keyword: "billing page", text: "billing  page", isIn: true },
  { keyword: "billing page", text: "billing\npage", isIn: true },
  { keyword: "billing page", text: "billing-page", isIn: false },
  { keyword: "web", text: "see <https://web.example.com>", isIn: true },
  { keyword: "api", text: "éapi", isIn: false },
  { keyword: "api", text: "apié", isIn: false },
  { keyword: "#ops", text: "in #ops now", isIn: true },
  { keyword: "#ops", text: "in <#C01|ops> now", isIn: false },
  { keyword: " API ", text: "api", isIn: true },
])("keyword $keyword is in $text: $isIn", ({ keyword, text, isIn }) => {
  expect(hasKeyword(text, keyword)).toBe(isIn);
});

describe("the target", () => {
  const repository = (name: string): Target => ({ repositoryRef: { name } });
  const environment = (name: string): Target => ({ environmentRef: { name } });
  const rule = (keyword: string, target: Target) => ({ keyword, target });
  const at = (target: Target) => ({ id: "C1", target });
  const settings = (change: object) => ({
    teamID: "T1",
    repositories: [],
    environments: [],
    rules: [],
    channels: [],
    ...change,
  });
  const [api, perf, web, ops] = [repository("api"), repository("perf"), repository("web"), environment("env-1")];
  const two = { repositories: [{ name: "api" }, { name: "web" }] };
  const exists = (target: Target): boolean =>
    target.repositoryRef?.name !== "gone" && target.environmentRef?.name !== "gone";
  const decide = (change: object, event: { text: string; forwarded?: { text: string }[] }) =>
    decideTarget({ settings: settings(change), event: { channelID: "C1", ...event }, exists });
  const slow = "the api is slow";

  it.each([
    { name: "1: one rule", change: { ...two, rules: [rule("api", api)] }, text: slow, want: api },
    {
      name: "3: two rules to one target",
      change: { ...two, rules: [rule("api", api), rule("slow", api)] },
      text: slow,
      want: api,
    },
    {
      name: "6: rules of which one is to what is gone",
      change: { ...two, rules: [rule("api", repository("gone")), rule("slow", perf)] },
      text: slow,
      want: perf,
    },
    {
      name: "8: the only repository",
      change: { repositories: [{ name: "web" }], rules: [rule("foo", web)] },
      text: "fix it",
      want: web,
    },
    {
      name: "14: a rule's environment where no repository can be found",
      change: { repositories: [{ name: "gone" }, { name: "lost" }], rules: [rule("slow", ops)] },
      text: slow,
      want: ops,
    },
    { name: "9: a channel's environment", change: { ...two, channels: [at(ops)] }, text: "fix it", want: ops },
    {
      name: "12: the rule where the channel disagrees",
      change: { ...two, rules: [rule("api", api)], channels: [at(web)] },
      text: slow,
      want: api,
    },
    {
      name: "another channel's mapping is passed over",
      change: { repositories: [{ name: "web" }], channels: [{ id: "C2", target: web }] },
      text: "fix it",
      want: web,
    },
  ])("$name", ({ change, text, want }) => {
    expect(decide(change, { text })).toEqual({ kind: "target", target: want });
  });

  it.each([
    {
      name: "2: rules to two targets",
      change: { ...two, rules: [rule("api", api), rule("slow", perf)] },
      text: slow,
      suggestions: [api, perf],
    },
    {
      name: "4: a rule to a repository and one to an environment",
      change: { rules: [rule("api", api), rule("api", ops)] },
      text: slow,
      suggestions: [api, ops],
    },
    {
      name: "5: a rule to what is gone",
      change: { ...two, rules: [rule("api", repository("gone"))] },
      text: slow,
      suggestions: [],
    },
    {
      name: "7: one repository, and an environment by a rule that does not match",
      change: { repositories: [{ name: "web" }], rules: [rule("ops", ops)] },
      text: "fix it",
      suggestions: [],
    },
    {
      name: "10: a channel of an environment and a repository",
      change: { channels: [at(ops), at(web)] },
      text: "fix it",
      suggestions: [ops, web],
    },
    {
      name: "11: a channel of two repositories",
      change: { channels: [at(web), at(api)] },
      text: "fix it",
      suggestions: [web, api],
    },
  ])("is asked for: $name", ({ change, text, suggestions }) => {
    expect(decide(change, { text })).toMatchObject({ kind: "ask", suggestions });
  });

  it("15: is found by the forwarded text, too", () => {
    const found = decide({ ...two, rules: [rule("api", api)] }, { text: "look", forwarded: [{ text: slow }] });
    expect(found).toEqual({ kind: "target", target: api });
  });

  it("16: is not there", () => {
    expect(decide({}, { text: "fix it" })).toMatchObject({
      kind: "ask",
      question: "No repository is set up for requests here. Ask the operator of Runwright to add one.",
    });
  });
});
