import { describe, expect, it } from "vitest";
import type { Prompt } from "../../../api/v1alpha1/prompt.ts";
import type { Session, SessionStatus } from "../../../api/v1alpha1/session.ts";
import { aPrompt, aSession } from "../../../../test/support/builders.ts";
import { observeChildren } from "./family.ts";

const created = "2026-05-04T10:00:00Z";
const spec = { idleTimeoutSeconds: 600 };
const parent = aSession({ metadata: { name: "parent", namespace: "team", uid: "s1" }, spec });

function aChild(status?: SessionStatus, deletionTimestamp?: string): Session {
  const metadata = { name: "child", namespace: "team", uid: "c1", creationTimestamp: created, deletionTimestamp };
  return aSession({ metadata, spec, status });
}

function promptOfChild(isSettled: boolean): Prompt {
  const verdict = { status: "False" as const, reason: "Cancelled", message: "", lastTransitionTime: created };
  const status = { conditions: isSettled ? [{ type: "Succeeded", ...verdict }] : [] };
  return aPrompt({ metadata: { name: "child-1" }, spec: { sessionRef: { name: "child" } }, status });
}

describe("a child counts as working", () => {
  const minute = 60_000;

  it.each<[string, Session, Prompt[], number, boolean]>([
    ["while it is made", aChild(), [], 0, true],
    ["just within 2 minutes without a prompt", aChild(), [], 2 * minute - 1, true],
    ["not at 2 minutes without a prompt", aChild(), [], 2 * minute, false],
    ["not after 2 minutes without a prompt", aChild(), [], 2 * minute + 1, false],
    ["with a prompt that comes later", aChild(), [promptOfChild(false)], 60 * minute, true],
    ["not when its only prompt was cancelled", aChild(), [promptOfChild(true)], 0, false],
    ["not when its prompts have ended and are gone", aChild({ promptsEnded: 1 }), [], 0, false],
    ["not when it is being deleted", aChild(undefined, created), [promptOfChild(false)], 0, false],
  ])("%s", (_name, child, own, afterMs, want) => {
    const informers = {
      sessions: { get: () => undefined, byIndex: () => [child] },
      prompts: { byIndex: () => own },
    };
    const now = new Date(Date.parse(created) + afterMs);
    const [observed] = observeChildren(informers, parent, now);
    const awaits = want && own.length === 0 ? Date.parse(created) + 2 * minute : undefined;
    expect([observed?.isWorking, observed?.awaitsPromptUntilMs]).toEqual([want, awaits]);
  });
});
