import { describe, expect, it } from "vitest";

import { aPrompt, aRun, aSession, aVerdict } from "../../test/support/builders.ts";
import type { Prompt } from "../api/v1alpha1/prompt.ts";
import type { Session } from "../api/v1alpha1/session.ts";
import { isFamilyAtWork } from "./family-at-work.ts";

const now = new Date("2026-05-04T10:00:00.000Z");
const minute = 60_000;
const day = 24 * 60 * minute;
const before = (ms: number): string => new Date(now.getTime() - ms).toISOString();

const run = (endedMs = 0) =>
  aRun({ metadata: { name: "run", namespace: "team", uid: "run" }, status: { completionTime: before(endedMs) } });

/** A session of the Run's, of a session's, or of neither, whose Ready says this. */
function session(
  name: string,
  { parent, ready, madeMs = day }: { parent?: string; ready?: string; madeMs?: number } = {},
): Session {
  const mark = { status: "False" as const, reason: ready ?? "", message: "", lastTransitionTime: before(0) };
  const owner = { apiVersion: "runwright.dev/v1alpha1", kind: "Session", name: parent ?? "", uid: parent ?? "" };
  return aSession({
    metadata: {
      name,
      namespace: "team",
      uid: name,
      creationTimestamp: before(madeMs),
      ...(parent ? { ownerReferences: [owner] } : {}),
    },
    status: { conditions: ready === undefined ? [] : [{ type: "Ready", ...mark }] },
  });
}

function prompt(of: string, isSettled = false): Prompt {
  const status = isSettled ? { conditions: [aVerdict(true, "Completed", now)] } : {};
  return aPrompt({ metadata: { name: `${of}-1`, namespace: "team" }, spec: { sessionRef: { name: of } }, status });
}

/** Caches of these objects, of which the session "own" is the Run's. */
function caches(sessions: Session[], prompts: Prompt[]): Parameters<typeof isFamilyAtWork>[0] {
  const named = (of: Session): string | undefined => of.metadata.ownerReferences?.[0]?.uid;
  return {
    sessions: {
      byIndex: (index, key) =>
        sessions.filter((one) =>
          index === "parentUid"
            ? `team/${named(one) ?? ""}` === key
            : one.metadata.name === "own" && key === "team/run",
        ),
    },
    prompts: { byIndex: (_index, key) => prompts.filter(({ spec }) => `team/${spec.sessionRef.name}` === key) },
  };
}

describe("the family of a Run", () => {
  const own = session("own");
  const child = session("child", { parent: "own" });
  const grandchild = session("grandchild", { parent: "child" });
  const done = [prompt("own", true), prompt("child", true), prompt("grandchild", true)];

  it.each([
    { name: "has ended", sessions: [own, child, grandchild], prompts: done, want: false },
    { name: "is gone", sessions: [], prompts: [], want: false },
    {
      name: "has a later prompt of a person",
      sessions: [own],
      prompts: [prompt("own", true), prompt("own")],
      want: true,
    },
    { name: "has a child at work", sessions: [own, child], prompts: [prompt("child")], want: true },
    {
      name: "has a child of a child at work",
      sessions: [own, child, grandchild],
      prompts: [prompt("grandchild")],
      want: true,
    },
    { name: "has a stranger beside it", sessions: [own, session("other")], prompts: [prompt("other")], want: false },
    {
      name: "has a new child without a prompt",
      sessions: [own, session("new", { parent: "own", madeMs: 2 * minute - 1 })],
      prompts: [],
      want: true,
    },
    {
      name: "has a child that got none",
      sessions: [own, session("new", { parent: "own", madeMs: 2 * minute })],
      prompts: [],
      want: false,
    },
    {
      name: "is one session whose first prompt was deleted",
      sessions: [session("own", { madeMs: 0 })],
      prompts: [],
      want: false,
    },
    {
      name: "starts a sandbox",
      sessions: [session("own", { ready: "Starting" })],
      prompts: [prompt("own")],
      want: true,
    },
    {
      name: "waits for a person to raise its cost limit",
      sessions: [session("own", { ready: "CostLimitReached" })],
      prompts: [prompt("own")],
      want: false,
    },
  ])("that $name is at work: $want", ({ sessions, prompts, want }) => {
    expect(isFamilyAtWork(caches(sessions, prompts), run(), now)).toBe(want);
  });

  it.each([
    { endedMs: day - 1, want: true },
    { endedMs: day, want: false },
    { endedMs: day + 1, want: false },
  ])("that waits for a place $endedMs ms after the Run's end counts as at work: $want", ({ endedMs, want }) => {
    const waiting = caches([own, session("child", { parent: "own", ready: "Queued" })], [prompt("child")]);
    expect(isFamilyAtWork(waiting, run(endedMs), now)).toBe(want);
    const working = caches([own, session("child", { parent: "own", ready: "Running" })], [prompt("child")]);
    expect(isFamilyAtWork(working, run(endedMs), now)).toBe(true);
  });
});
