import { describe, expect, it } from "vitest";

import type { SessionStatus } from "../../../api/v1alpha1/session.ts";
import type { ObservedLease } from "../../sandbox/facts.ts";
import type { SessionFacts } from "../facts.ts";
import { markPassedOver } from "./passed-over.ts";

const at = { now: new Date("2026-05-04T10:15:00Z"), generation: 1 };
const sandbox = { attempt: 1, podName: "p", createTime: "2026-05-04T10:00:00Z", readyTime: "2026-05-04T10:01:00Z" };
const setup = { hook: "setup", message: "setup.sh of repository a exited with status 1: no space" } as const;
const start = { hook: "start", message: "start.sh of repository b exited with status 2" } as const;
const restored = { of: 1 };

/** What the condition says, as `Reason: message`; undefined where there is none. */
function warned(lease: Partial<ObservedLease>, status: Partial<SessionStatus> = {}): string | undefined {
  const facts = { lease: { isReady: true, ...lease } } as unknown as SessionFacts;
  const { conditions } = markPassedOver(facts, { sandbox, ...status }, at);
  const found = conditions?.find(({ type }) => type === "HooksPassedOver");
  return found && `${found.status} ${found.reason}: ${found.message}`;
}

const before = (reason: string): Partial<SessionStatus> => ({
  conditions: [
    { type: "HooksPassedOver", status: "True", reason, message: "before", lastTransitionTime: "2026-05-04T10:00:00Z" },
  ],
});

describe("of a sandbox that is ready", () => {
  it.each([
    { name: "nothing", passedOver: undefined, want: undefined },
    { name: "setup.sh", passedOver: [setup], want: `True SetupFailed: ${setup.message}; the session went on` },
    { name: "a start.sh", passedOver: [start], want: `True HookFailed: ${start.message}; the session went on` },
    {
      name: "both",
      passedOver: [setup, start],
      want: `True SetupFailed: ${setup.message}; ${start.message}; the session went on`,
    },
  ])("that passed over $name the condition says it, whatever was said before", ({ passedOver, want }) => {
    expect(warned({ passedOver })).toBe(want);
    expect(warned({ passedOver }, before("SetupFailed"))).toBe(want);
  });

  it.each([1_002, 1_003, 1_004])("the message of %i characters of failures fits", (length) => {
    const [, message = ""] =
      /SetupFailed: (.*)$/.exec(warned({ passedOver: [{ hook: "setup", message: "x".repeat(length) }] }) ?? "") ?? [];
    expect(message).toHaveLength(Math.min(length + 21, 1_024));
    expect(message).toMatch(length > 1_003 ? / \[…\]; the session went on$/ : /x; the session went on$/);
  });
});

describe("of a workspace that was restored", () => {
  it("what setup.sh did not do is still missing", () => {
    expect(warned({ restore: restored }, before("SetupFailed"))).toBe("True SetupFailed: before");
    expect(warned({ restore: restored, passedOver: [start] }, before("SetupFailed"))).toBe("True SetupFailed: before");
  });

  it.each([
    { name: "a start.sh that works now", restore: restored, reason: "HookFailed" },
    { name: "a workspace that was lost", restore: { of: 1, problem: "Missing" }, reason: "SetupFailed" },
    { name: "an image", restore: { of: 1, image: true }, reason: "SetupFailed" },
  ] as const)("nothing is said of $name", ({ restore, reason }) => {
    expect(warned({ restore }, before(reason))).toBeUndefined();
  });
});

it.each([
  { name: "a sandbox that is not ready", lease: { isReady: false }, status: {} },
  { name: "one whose readiness is not recorded", lease: {}, status: { sandbox: { ...sandbox, readyTime: undefined } } },
])("$name changes nothing", ({ lease, status }) => {
  expect(warned({ passedOver: [setup], ...lease }, { ...before("HookFailed"), ...status })).toBe(
    "True HookFailed: before",
  );
});
