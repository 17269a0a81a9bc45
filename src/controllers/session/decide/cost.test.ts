import { describe, expect, it } from "vitest";

import { aPrompt, aSession } from "../../../../test/support/builders.ts";
import type { Prompt, Session, SessionSpec, SessionStatus } from "../../../api/v1alpha1/index.ts";
import { decided, type GivenFacts, observed } from "../fake-steps.ts";
import type { SessionFacts } from "../facts.ts";
import { foldCost, reachedCost } from "./cost.ts";

const start = Date.parse("2026-05-04T10:00:00.000Z");
const at = (ms: number): string => new Date(start + ms).toISOString();
const now = new Date(start + 5_000);
const limits = { bootTimeoutMs: 1_800_000, executionTimeoutMs: 7_200_000 };

const sandbox = { attempt: 1, podName: "fix-x-1", podUID: "u1", createTime: at(0), readyTime: at(0) };
const pod = { name: "fix-x-1", uid: "u1", attempt: 1, isStarted: true, isTerminating: false };
const currentPrompt = { name: "fix-1", uid: "p1", startTime: at(0), deadline: at(3_600_000) };

function promptOf(uid: string, status: Prompt["status"] = {}): Prompt {
  return aPrompt({ metadata: { name: uid, namespace: "team", uid, resourceVersion: "1" }, status });
}

function endedWith(uid: string, reason: string, usage?: NonNullable<Prompt["status"]>["usage"]): Prompt {
  const verdict = { status: "False" as const, reason, message: "", lastTransitionTime: at(0) };
  return promptOf(uid, { conditions: [{ type: "Succeeded", ...verdict }], usage });
}

function sessionOf(status: SessionStatus, spec: Partial<SessionSpec> = {}): Session {
  const metadata = { namespace: "team", uid: "s1", generation: 1, resourceVersion: "1" };
  return aSession({ metadata, spec: { idleTimeoutSeconds: 600, ...spec }, status });
}

function facts(more: Partial<SessionFacts> & { session: Session }): GivenFacts {
  return { prompts: [], pods: [pod], secrets: [], isSilent: false, children: [], lease: { isReady: true }, ...more };
}

/** The effects of a decision about a session whose prompt is processed. */
function decideOn(
  { costUsd, sandboxCostUsd, noted }: { costUsd?: string; sandboxCostUsd?: string; noted?: string },
  more: Partial<SessionFacts> = {},
  spec: Partial<SessionSpec> = { settings: { maxSessionCostUsd: "5" } },
): object[] {
  const status = { sandbox: { ...sandbox, costUsd: sandboxCostUsd }, queue: ["p1"], currentPrompt, costUsd };
  const session = sessionOf(status, spec);
  const given = facts({ session, prompts: [promptOf("p1")], lease: { isReady: true, costUsd: noted }, ...more });
  return [...decided(given, now, limits).effects];
}

describe("of all readings of a sandbox's cost the highest counts, once", () => {
  it.each<[string, { before?: [string, string]; noted?: string; left?: Prompt[] }, [string?, string?]]>([
    ["nothing is known", {}, []],
    ["the gateway noted one", { noted: "0.5" }, ["0.5", "0.5"]],
    ["the gateway noted what is counted", { before: ["3", "0.5"], noted: "0.5" }, ["3", "0.5"]],
    ["the gateway noted more", { before: ["3", "0.5"], noted: "0.75" }, ["3.25", "0.75"]],
    ["the gateway noted less", { before: ["3", "0.5"], noted: "0.25" }, ["3", "0.5"]],
    [
      "a prompt that ended says more than the gateway noted",
      { noted: "0.5", left: [endedWith("p1", "Completed", { costUsd: "0.7", sandboxCostUsd: "0.7" })] },
      ["0.7", "0.7"],
    ],
    [
      "the gateway noted a cancelled prompt's cost after it",
      { before: ["0.5", "0.5"], noted: "0.9", left: [endedWith("p1", "Cancelled")] },
      ["0.9", "0.9"],
    ],
    [
      "a prompt's own cost is in what the sandbox has cost",
      { before: ["2", "0.5"], left: [endedWith("p1", "Failed", { costUsd: "0.2", sandboxCostUsd: "0.7" })] },
      ["2.2", "0.7"],
    ],
    [
      "a runtime of an earlier version knows the prompt's cost alone",
      { before: ["2", "0.5"], left: [endedWith("p1", "Failed", { costUsd: "0.2" })] },
      ["2.2", "0.7"],
    ],
  ])("%s", (_name, { before, noted, left = [] }, want) => {
    const [costUsd, counted] = before ?? [];
    const status = { costUsd, sandbox: { ...sandbox, costUsd: counted } };
    const folded = foldCost({ lease: { costUsd: noted } }, status, { left, now });
    expect([folded.costUsd, folded.sandbox?.costUsd]).toEqual([want[0], want[1]]);
    const again = foldCost({ lease: { costUsd: noted } }, folded, { left: [], now });
    expect(again).toEqual(folded);
  });

  it("also of a sandbox that ends with its prompt", () => {
    const effects = decideOn({ costUsd: "1", noted: "0.5" }, { pods: [] }, {});
    expect(effects[0]).toMatchObject({
      status: { costUsd: "1.5", sandbox: { costUsd: "0.5", endReason: "SandboxLost" } },
    });
  });

  it("and the next sandbox begins at 0", () => {
    const next = sessionOf({ costUsd: "1.5", sandbox: { ...sandbox, attempt: 2 } });
    const folded = foldCost({ lease: { costUsd: "0.1" } }, next.status ?? {}, { left: [], now });
    expect(folded).toMatchObject({ costUsd: "1.6", sandbox: { costUsd: "0.1" } });
  });
});

describe("the prompt that is processed", () => {
  const message = "the session has cost 5 USD and its maxSessionCostUsd is 5";

  it.each([
    { costUsd: "4", noted: "0.999999", isStopped: false },
    { costUsd: "4", noted: "1", isStopped: true },
    { costUsd: "4", noted: "1.000001", isStopped: true },
    { costUsd: "4", noted: undefined, isStopped: false },
    { costUsd: "5", noted: undefined, isStopped: true },
  ])("after $costUsd USD is stopped at a limit of 5: $noted more, $isStopped", ({ costUsd, noted, isStopped }) => {
    const [first] = decideOn({ costUsd, ...(noted === undefined ? {} : { noted }) });
    const stopped = { kind: "settlePrompt", status: { conditions: [{ reason: "CostLimitReached" }, {}] } };
    if (isStopped) expect(first).toMatchObject(stopped);
    else expect(first).not.toMatchObject(stopped);
  });

  it("leaves the queue in the write that counts its cost, and the sandbox stays for the next one", () => {
    const [settled, written] = decideOn({ costUsd: "4", noted: "1" });
    expect(settled).toMatchObject({ status: { conditions: [{ message }, {}] }, event: { type: "Warning" } });
    expect(written).toMatchObject({ kind: "writeStatus", status: { costUsd: "5", promptsEnded: 1 } });
    expect(written).not.toHaveProperty("status.currentPrompt");
    expect(written).not.toHaveProperty("status.sandbox.endTime");
  });

  const root = sessionOf({ costUsd: "1" }, { settings: { maxSessionCostUsd: "4" } });

  it.each([
    { name: "below the family's limit", family: { othersCostUsd: "1.999999" }, want: undefined },
    { name: "at the family's limit", family: { othersCostUsd: "2" }, want: { costUsd: "5", limitUsd: "5" } },
    { name: "at its root's limit", family: { root, othersCostUsd: "1" }, want: { costUsd: "4", limitUsd: "4" } },
    { name: "below its root's limit", family: { root, othersCostUsd: "0.999999" }, want: undefined },
  ])("goes on $name", ({ family, want }) => {
    const session = sessionOf({ costUsd: "3" }, { settings: { maxSessionCostUsd: "5" } });
    expect(reachedCost({ session, family }, session.status ?? {})).toEqual(want);
    const effects = decideOn({ costUsd: "3" }, { family });
    const reasons = effects.map((effect) => "kind" in effect && effect.kind);
    expect(reasons.includes("settlePrompt")).toBe(want !== undefined);
  });
});

describe("a cost that grows", () => {
  const shown = (ms: number): boolean => {
    const status = {
      sandbox: { ...sandbox, costUsd: "1", costTime: at(0) },
      queue: ["p1"],
      currentPrompt,
      costUsd: "1",
    };
    const given = facts({ session: sessionOf(status), prompts: [promptOf("p1")] });
    const settled = decided(given, new Date(start), limits).effects[0];
    if (settled?.kind !== "writeStatus") throw new Error("the status has something to say of its own");
    const stored = sessionOf(settled.status);
    const grown = facts({ session: stored, prompts: [promptOf("p1")], lease: { isReady: true, costUsd: "1.5" } });
    const decision = decided(grown, new Date(start + ms), limits);
    if (decision.effects.length === 0) expect(decision.wakeAtMs).toBe(start + 60_000);
    return decision.effects.length > 0;
  };

  it.each([
    { ms: 59_999, want: false },
    { ms: 60_000, want: true },
    { ms: 60_001, want: true },
  ])("is written $ms ms after the last one: $want", ({ ms, want }) => {
    expect(shown(ms)).toBe(want);
  });
});

describe("CostLimitNotEnforced", () => {
  const warned = (
    prompts: Prompt[],
    { limit = "5", costUsd }: { limit?: string; costUsd?: string } = {},
  ): object | undefined => {
    const session = sessionOf({ sandbox, costUsd }, limit === "" ? {} : { settings: { maxSessionCostUsd: limit } });
    const { effects } = decided(observed(facts({ session, prompts }), now), now, limits);
    const written = effects.find((effect) => effect.kind === "writeStatus");
    return written?.status.conditions?.find(({ type }) => type === "CostLimitNotEnforced");
  };
  const want = {
    status: "True",
    reason: "CostNotReported",
    message: "maxSessionCostUsd is 5 and bounds nothing: the agent has ended a prompt without having reported a cost",
  };

  it.each(["Completed", "Failed", "ExecutionTimeout"])(
    "stands once a prompt has ended as %s without a cost",
    (reason) => {
      expect(warned([endedWith("p1", reason)])).toMatchObject(want);
    },
  );

  it.each(["Cancelled", "SandboxLost", "QueueFull"])("does not after a prompt that ended as %s", (reason) => {
    expect(warned([endedWith("p1", reason)])).toBeUndefined();
  });

  it("does not without a limit, before the first prompt's end, or where a cost was reported, be it 0", () => {
    const ended = endedWith("p1", "Completed");
    expect(warned([ended], { limit: "" })).toBeUndefined();
    expect(warned([promptOf("p1")])).toBeUndefined();
    expect(warned([ended], { costUsd: "0" })).toBeUndefined();
  });

  it("is withdrawn when there is a cost", () => {
    const status = {
      sandbox,
      conditions: [{ type: "CostLimitNotEnforced", ...want, status: "True" as const, lastTransitionTime: at(0) }],
    };
    const session = sessionOf(status, { settings: { maxSessionCostUsd: "5" } });
    const given = facts({ session, prompts: [endedWith("p1", "Completed")], lease: { isReady: true, costUsd: "0.5" } });
    const written = decided(given, now, limits).effects.find((effect) => effect.kind === "writeStatus");
    expect(written?.status.conditions?.map(({ type }) => type)).not.toContain("CostLimitNotEnforced");
  });
});

it("writes a status that has room for the costs of more than 1,000 children", () => {
  const children = Array.from({ length: 1_001 }, (_, at) => ({ uid: `c${at}`, costUsd: "1" }));
  const session = sessionOf({ sandbox, queue: ["p1"], currentPrompt, children: { admitted: ["c0"], active: 0 } });
  const given = facts({ session, prompts: [promptOf("p1")], childCosts: children });
  const [first] = decided(given, now, limits).effects as readonly { status?: SessionStatus }[];
  expect(first?.status?.children?.costs).toEqual([{ uid: "gone", costUsd: "1001" }]);
});
