import { describe, expect, it } from "vitest";
import { aPrompt } from "../../../test/support/builders.ts";
import type { PromptOutcome } from "../../api/runtime/messages.ts";
import type { Prompt, PromptStatus } from "../../api/v1alpha1/prompt.ts";
import { isSettled } from "../../domain/prompts/prompt-state.ts";
import { lateStatus, resultOf, settledStatus, usageOf } from "./outcome.ts";

const now = new Date("2026-05-04T10:15:00.000Z");
const at = { now, startTime: "2026-05-04T10:00:00Z" };
const commit = "0123456789abcdef0123456789abcdef01234567";

const promptWith = (status: PromptStatus = { observedGeneration: -1 }): Prompt =>
  aPrompt({ metadata: { name: "p", uid: "u", generation: 3 }, status });

const anOutcome = (change: Partial<PromptOutcome> = {}): PromptOutcome => ({
  prompt: { name: "p", uid: "u" },
  verdict: "succeeded",
  ...change,
});

it.each([
  { branch: "main", taken: true },
  { branch: "feature/äöü-1", taken: true },
  { branch: "a".repeat(255), taken: true },
  { branch: "a".repeat(256), taken: false },
  { branch: "", taken: false },
  { branch: "/a", taken: false },
  { branch: "a/", taken: false },
  { branch: "a//b", taken: false },
  { branch: "a..b", taken: false },
  { branch: "a.lock", taken: false },
  { branch: "a.", taken: false },
  { branch: "a/.b", taken: false },
  { branch: "a@{1}", taken: false },
  { branch: "a b", taken: false },
  { branch: "a\nb", taken: false },
  { branch: "a\\b", taken: false },
  { branch: "a\u202eb", taken: false },
  { branch: "a\u2028b", taken: false },
  { branch: "a\u2029b", taken: false },
  { branch: "a\ufeffb", taken: false },
  { branch: "a~1", taken: false },
])("takes $branch for a branch: $taken", ({ branch, taken }) => {
  expect(resultOf(anOutcome({ branch })).branch).toBe(taken ? branch : undefined);
});

it.each([
  { commit, taken: true },
  { commit: commit + commit.slice(0, 24), taken: true },
  { commit: commit.slice(1), taken: false },
  { commit: commit.toUpperCase(), taken: false },
  { commit: `${commit}0`, taken: false },
])("takes $commit for a commit: $taken", ({ commit: tried, taken }) => {
  expect(resultOf(anOutcome({ commit: tried })).commit).toBe(taken ? tried : undefined);
});

it.each([4_095, 4_096, 4_097])("keeps at most 4,096 of a summary's %i characters", (count) => {
  expect(Array.from(resultOf(anOutcome({ summary: "𝄞".repeat(count) })).summary ?? "")).toHaveLength(
    Math.min(count, 4_096),
  );
});

it.each([
  { costUsd: 0, want: "0" },
  { costUsd: 0.25, want: "0.25" },
  { costUsd: 10, want: "10" },
  { costUsd: 0.1 + 0.2, want: "0.3" },
  { costUsd: 0.000_001, want: "0.000001" },
  { costUsd: 0.000_000_4, want: "0" },
  { costUsd: 1_000_000, want: "1000000" },
  { costUsd: 1_000_000.1, want: undefined },
  { costUsd: undefined, want: undefined },
])("writes a price of $costUsd as $want", ({ costUsd, want }) => {
  expect(usageOf({ inputTokens: 3, ...(costUsd === undefined ? {} : { costUsd }) })).toEqual({
    inputTokens: 3,
    costUsd: want,
  });
});

it("settles a success", () => {
  expect(settledStatus(promptWith(), anOutcome({ summary: "done" }), at)).toEqual({
    conditions: [
      {
        type: "Succeeded",
        status: "True",
        reason: "Completed",
        message: "the agent finished",
        lastTransitionTime: now.toISOString(),
        observedGeneration: 3,
      },
    ],
    observedGeneration: 3,
    startTime: at.startTime,
    completionTime: now.toISOString(),
    result: { summary: "done" },
  });
});

describe("a pull request that the agent asked for", () => {
  const wanted = (pullRequest: PromptOutcome["pullRequest"], branch?: string): PromptStatus["pullRequest"] =>
    settledStatus(promptWith(), anOutcome({ pullRequest, branch }), at).pullRequest;

  it("is kept with the prompt's end", () => {
    const text = { title: "Fix it", body: "All of it." };
    expect(wanted(text, "fix")).toEqual(text);
    expect(wanted({ title: "Fix it", body: "" }, "fix")).toEqual({ title: "Fix it", body: "" });
  });

  it.each([
    { title: 199, body: 4_095 },
    { title: 200, body: 4_096 },
    { title: 201, body: 4_097 },
  ])("of $title and $body characters has at most 200 and 4,096", ({ title, body }) => {
    const text = wanted({ title: "𝄞".repeat(title), body: "𝄞".repeat(body) }, "fix");
    expect(Array.from(text?.title ?? "")).toHaveLength(Math.min(title, 200));
    expect(Array.from(text?.body ?? "")).toHaveLength(Math.min(body, 4_096));
  });

  it("has no characters that mislead readers", () => {
    expect(wanted({ title: "Fix\u202e\nit", body: "\u0007a" }, "fix")).toEqual({ title: "Fix it", body: "a" });
  });

  it.each([
    { name: "without a branch", branch: undefined, title: "Fix" },
    { name: "with a branch that is none", branch: "a..b", title: "Fix" },
    { name: "without a title", branch: "fix", title: " \u202e " },
  ])("is none $name", ({ branch, title }) => {
    expect(wanted({ title, body: "text" }, branch)).toBeUndefined();
  });
});

it("settles a failure with Stalled beside it and ends Reconciling", () => {
  const going = (type: string): NonNullable<PromptStatus["conditions"]>[number] => ({
    type,
    status: "Unknown",
    reason: "Running",
    message: "",
    lastTransitionTime: "2026-05-04T10:00:00Z",
  });
  const prompt = promptWith({
    conditions: [going("Succeeded"), going("Reconciling")],
    startTime: "2026-05-04T09:00:00Z",
  });
  const status = settledStatus(prompt, anOutcome({ verdict: "failed", message: "exited with status 7" }), at);
  expect(status.conditions).toMatchObject([
    { type: "Succeeded", status: "False", reason: "Failed", message: "exited with status 7" },
    { type: "Stalled", status: "True", reason: "Failed" },
  ]);
  expect(status.conditions).toHaveLength(2);
  expect(status.startTime).toBe("2026-05-04T09:00:00Z");
});

const settled = (reason: string, result?: PromptStatus["result"]): Prompt =>
  promptWith({
    conditions: [
      {
        type: "Succeeded",
        status: reason === "Completed" ? "True" : "False",
        reason,
        message: "",
        lastTransitionTime: "2026-05-04T10:00:00Z",
      },
    ],
    result,
  });

it.each([
  {
    name: "the same again",
    prompt: settled("Completed", { summary: "done" }),
    outcome: { summary: "done" },
    want: undefined,
  },
  {
    name: "news after a timeout",
    prompt: settled("ExecutionTimeout"),
    outcome: { summary: "done" },
    want: { summary: "done" },
  },
  {
    name: "another result of the same verdict",
    prompt: settled("Completed", { summary: "a" }),
    outcome: { summary: "b" },
    want: { summary: "b" },
  },
  { name: "nothing to say", prompt: settled("ExecutionTimeout"), outcome: {}, want: undefined },
  {
    name: "a confirmed cancel",
    prompt: settled("ExecutionTimeout"),
    outcome: { verdict: "cancelled" as const, summary: "x" },
    want: undefined,
  },
])("keeps the result of an outcome that comes late: $name", ({ prompt, outcome, want }) => {
  expect(isSettled(prompt)).toBe(true);
  expect(lateStatus(prompt, anOutcome(outcome))?.lateResult).toEqual(want);
});

it("keeps the first late result", () => {
  const prompt = settled("ExecutionTimeout");
  const noted = { ...prompt, status: lateStatus(prompt, anOutcome({ summary: "first" })) };
  expect(lateStatus(noted, anOutcome({ summary: "second" }))).toBeUndefined();
});

describe("usage that comes late", () => {
  const usage = { costUsd: 0.5, sandboxCostUsd: 0.75 };
  const want = { costUsd: "0.5", sandboxCostUsd: "0.75" };

  it.each(["cancelled", "failed", "succeeded"] as const)("is kept, also of a prompt that was %s", (verdict) => {
    const status = lateStatus(settled("ExecutionTimeout"), anOutcome({ verdict, usage }));
    expect(status).toMatchObject({ usage: want, conditions: [{ reason: "ExecutionTimeout" }] });
    expect(status).not.toHaveProperty("lateResult");
  });

  it("is kept beside a late result", () => {
    const status = lateStatus(settled("ExecutionTimeout"), anOutcome({ summary: "done", usage }));
    expect(status).toMatchObject({ usage: want, lateResult: { summary: "done" } });
  });

  it("changes nothing where there is one", () => {
    const prompt = settled("Completed");
    const known = { ...prompt, status: { ...prompt.status, usage: want } };
    expect(lateStatus(known, anOutcome({ usage: { costUsd: 9 } }))).toBeUndefined();
  });
});

describe("files that the agent attached", () => {
  type Files = NonNullable<PromptOutcome["media"]>["files"];
  const file = (mark: string, change: Partial<Files[number]> = {}): Files[number] => ({
    digest: `sha256:${mark.repeat(64)}`,
    mediaType: "image/png",
    fileName: `${mark}.png`,
    bytes: 10,
    ...change,
  });
  const kept = (files: Files, leftOut = 0, takesMedia = true): PromptStatus["media"] =>
    settledStatus(promptWith(), anOutcome({ media: { files, leftOut } }), { ...at, takesMedia }).media;

  it("are kept with the prompt's end, under names for people", () => {
    expect(kept([file("a"), file("b", { fileName: "../x\u202e.txt" })], 2)).toEqual({
      files: [file("a"), file("b", { fileName: "x.txt.png" })],
      leftOut: 2,
    });
  });

  it("are held to the limits of an answer, whatever the runtime says", () => {
    const large = { bytes: 10 * 1_048_576 };
    expect(kept([file("a", large), file("b", large), file("c", large), file("a", large)], 1)).toEqual({
      files: [file("a", large), file("b", large)],
      leftOut: 2,
    });
    expect(kept([file("a", large), file("b", large), file("c", large)], 1_000)?.leftOut).toBe(1_000);
  });

  it("are dropped where the operator lets no agent attach any", () => {
    expect(kept([file("a")], 1, false)).toBeUndefined();
  });
});

it("keeps pushes of valid repositories, branches and commits alone, and a late one is a late result", () => {
  const push = { repository: "shop-ui", branch: "fix/1", commit };
  const invalid = [
    { ...push, repository: "Shop UI" },
    { ...push, repository: "" },
    { ...push, branch: "a..b" },
    { ...push, commit: "a" },
  ];
  expect(resultOf(anOutcome({ pushes: [...invalid, push] })).pushes).toEqual([push]);
  expect(resultOf(anOutcome({ pushes: invalid }))).not.toHaveProperty("pushes");
});
