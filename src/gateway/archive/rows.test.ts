import { describe, expect, it } from "vitest";
import { aPrompt, aPullRequest, aRun, aSession, aVerdict } from "../../../test/support/builders.ts";
import { annotations, labels, type Prompt } from "../../api/v1alpha1/index.ts";
import { isFirstOf, pullRequestRow, runRow, sessionRow } from "./rows.ts";

const created = "2026-03-31T11:00:00Z";
const createdMs = Date.parse(created);
const at = (minutes: number): Date => new Date(createdMs + minutes * 60_000);
const metadata = { uid: "u", namespace: "team", creationTimestamp: created };

const owner = (kind: string) => ({
  apiVersion: "runwright.dev/v1alpha1",
  kind,
  name: "r",
  uid: "r",
  controller: true,
});

describe("the row of a Run", () => {
  const push = { repository: "shop-ui", branch: "fix/1", commit: "a".repeat(40) };

  it("has what the API shows, and neither payload nor key", () => {
    const run = aRun({
      metadata: { ...metadata, annotations: { [annotations.requestedBy]: "ana" } },
      spec: {
        automationRef: { name: "fix", uid: "a" },
        trigger: {
          type: "Webhook",
          time: at(-1).toISOString(),
          deliveryID: "d",
          idempotencyKey: "secret-key",
          payload: "secret-payload",
        },
      },
      status: {
        startTime: at(1).toISOString(),
        completionTime: at(2).toISOString(),
        conditions: [aVerdict(false, "ExecutionTimeout", at(2))],
        result: { summary: "half", branch: "fix/1", commit: "a".repeat(40), pushes: [push] },
      },
    });
    const row = runRow(run);
    expect(row).toEqual({
      uid: "u",
      namespace: "team",
      name: "fix-run",
      copy_of: null,
      automation: "fix",
      automation_uid: "a",
      trigger_type: "Webhook",
      state: "failed",
      reason: "execution_timeout",
      message: "The agent said ExecutionTimeout",
      delivery_id: "d",
      requested_by: "ana",
      created_ms: createdMs,
      accepted_ms: at(-1).getTime(),
      started_ms: at(1).getTime(),
      ended_ms: at(2).getTime(),
      summary: "half",
      branch: "fix/1",
      commit_id: "a".repeat(40),
      pushes: JSON.stringify([push]),
      gone_ms: null,
    });
    expect(JSON.stringify(row)).not.toContain("secret");
  });

  it("is there from creation on", () => {
    const run = aRun({ metadata });
    expect(runRow(run)).toMatchObject({ state: "starting", accepted_ms: createdMs, started_ms: null, ended_ms: null });
    expect(runRow(run).pushes).toBeNull();
  });

  it("names the Run that it stands for", () => {
    const skipped = JSON.stringify({ uid: "first", cause: "x", message: "", time: created });
    const run = aRun({ metadata: { ...metadata, annotations: { [annotations.skipped]: skipped } } });
    expect(runRow(run).copy_of).toBe("first");
  });
});

describe("the row of a Session", () => {
  const prompt = (name: string, minutes: number, parts: { ended?: [boolean, string]; by?: string } = {}): Prompt => {
    const { ended, by } = parts;
    return aPrompt({
      metadata: {
        name,
        creationTimestamp: at(minutes).toISOString(),
        annotations: by === undefined ? {} : { [annotations.requestedBy]: by },
      },
      status: ended && {
        completionTime: at(minutes + 1).toISOString(),
        conditions: [aVerdict(...ended, at(minutes + 1))],
      },
    });
  };

  it("is there from creation on", () => {
    expect(sessionRow(aSession({ metadata }), [])).toEqual({
      uid: "u",
      namespace: "team",
      name: "fix",
      title: null,
      source: "person",
      run_uid: null,
      automation_uid: null,
      parent_uid: null,
      requested_by: null,
      repository: null,
      state: "created",
      outcome: null,
      messages: 0,
      cost_micro: 0,
      created_ms: createdMs,
      idle_ms: null,
      gone_ms: null,
    });
  });

  it.each([
    [
      "a Run's",
      { labels: { [labels.automationUid]: "a" }, ownerReferences: [owner("Run")] },
      { source: "automation", run_uid: "r", automation_uid: "a" },
    ],
    [
      "a person's with a Run's labels",
      { labels: { [labels.runUid]: "r", [labels.automationUid]: "a" } },
      { source: "person", run_uid: null, automation_uid: null },
    ],
    [
      "a person's that a Run owns and does not control",
      { ownerReferences: [{ ...owner("Run"), controller: false }] },
      { source: "person", run_uid: null },
    ],
    [
      "a person's that another group's Run controls",
      { ownerReferences: [{ ...owner("Run"), apiVersion: "tekton.dev/v1" }] },
      { source: "person", run_uid: null },
    ],
    [
      "a child's",
      { ownerReferences: [{ apiVersion: "runwright.dev/v1alpha1", kind: "Session", name: "p", uid: "p" }] },
      { source: "agent", parent_uid: "p" },
    ],
  ])("says whose it is: %s", (_, parts, want) => {
    expect(sessionRow(aSession({ metadata: { ...metadata, ...parts } }), [])).toMatchObject(want);
  });

  it("has the Automation of the Run that made it, whatever its label says", () => {
    const session = aSession({
      metadata: { ...metadata, labels: { [labels.automationUid]: "forged" }, ownerReferences: [owner("Run")] },
    });
    const run = aRun({ spec: { automationRef: { name: "fix", uid: "a" } } });
    expect(sessionRow(session, [], run).automation_uid).toBe("a");
  });

  it("has the outcome of the prompt that ended last, and who sent the first one", () => {
    const prompts = [
      prompt("b", 5, { ended: [false, "Cancelled"], by: "ben" }),
      prompt("c", 9, { by: "cem" }),
      prompt("a", 1, { ended: [true, "Completed"], by: "ana" }),
      prompt("z", 0, { ended: [true, "Completed"] }),
    ];
    expect(sessionRow(aSession({ metadata }), prompts)).toMatchObject({ outcome: "cancelled", requested_by: "ana" });
  });

  it.each([
    ["completed", true, "Completed"],
    ["failed", false, "ExecutionTimeout"],
    ["cancelled", false, "Cancelled"],
  ])("calls a prompt %s", (outcome, succeeded, reason) => {
    expect(sessionRow(aSession({ metadata }), [prompt("a", 1, { ended: [succeeded, reason] })]).outcome).toBe(outcome);
  });

  it("counts prompts that wait and that have ended, and is idle once none waits", () => {
    const idleSince = at(9).toISOString();
    const active = aSession({ metadata, status: { queue: ["x", "y"], promptsEnded: 3, idleSince } });
    expect(sessionRow(active, [])).toMatchObject({ messages: 5, state: "active", idle_ms: null });
    const idle = aSession({ metadata, status: { promptsEnded: 3, idleSince, repositories: ["api", "web"] } });
    const want = { messages: 3, state: "idle", idle_ms: at(9).getTime(), repository: "api" };
    expect(sessionRow(idle, [])).toMatchObject(want);
  });

  it.each([
    ["0.000001", 1],
    ["2.50", 2_500_000],
    ["999999.999999", 999_999_999_999],
    ["1000000", 1_000_000_000_000],
    ["9".repeat(40), 1_000_000_000_000],
  ])("counts %s dollars in millionths, up to a million dollars", (costUsd, want) => {
    expect(sessionRow(aSession({ metadata, status: { costUsd } }), []).cost_micro).toBe(want);
  });
});

describe("the row of a PullRequest", () => {
  const session = aSession({ metadata: { ownerReferences: [owner("Run")] }, status: { costUsd: "0.5" } });

  it("is there before it is open, without text of the agent's", () => {
    const row = pullRequestRow(aPullRequest({ metadata, spec: { title: "T", body: "B" } }), undefined);
    expect(row).toEqual({
      uid: "u",
      namespace: "team",
      name: "fix-pr",
      session_uid: "s",
      source: null,
      repository: "api",
      full_name: "acme/api",
      number: null,
      state: null,
      cost_micro: null,
      created_ms: createdMs,
      merged_ms: null,
      gone_ms: null,
    });
  });

  it.each(["Draft", "Open", "Merged", "Closed"] as const)("says that it is %s", (githubState) => {
    const mergeTime = githubState === "Merged" ? at(7).toISOString() : undefined;
    const status = { number: 7, githubState, mergeTime };
    expect(pullRequestRow(aPullRequest({ metadata, status }), { session, isFirst: true })).toMatchObject({
      number: 7,
      state: githubState.toLowerCase(),
      source: "automation",
      cost_micro: 500_000,
      merged_ms: mergeTime === undefined ? null : at(7).getTime(),
    });
  });

  it("has no cost where it is not the session's first one", () => {
    expect(pullRequestRow(aPullRequest({ metadata }), { session, isFirst: false }).cost_micro).toBe(0);
  });

  it("the first one is the oldest, then the first by name", () => {
    const of = (name: string, minutes: number) =>
      aPullRequest({ metadata: { name, uid: name, creationTimestamp: at(minutes).toISOString() } });
    const all = [of("c", 0), of("b", 0), of("a", 1)];
    expect(all.map((one) => isFirstOf(all, one))).toEqual([false, true, false]);
    expect(isFirstOf([], all[0]!)).toBe(true);
  });
});
