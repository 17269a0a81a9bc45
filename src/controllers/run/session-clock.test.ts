import { describe, expect, it } from "vitest";
import type { Session } from "../../api/v1alpha1/index.ts";
import { aChild, aSandbox, aSession, atMs, queued, startedRun } from "./fake-facts.ts";
import { sessionDeadline } from "./session-clock.ts";

const run = startedRun();
/** The budget of a minute and 100 minutes. */
const sweepMs = 6_060_000;
const pendingLimit = { className: "busy", seconds: 600 };

function deadlineOf(status: Session["status"], limit?: typeof pendingLimit): [number, string] | undefined {
  const child = { ...aChild("run-0"), session: aSession("run-0", status), pendingLimit: limit };
  const deadline = sessionDeadline(run, child);
  return deadline && [deadline.atMs - Date.parse(run.status!.startTime!), deadline.reason];
}

describe("a session that has a pod, or is about to get one", () => {
  it.each([
    { what: "none yet", status: {}, afterMs: sweepMs },
    { what: "one at once", status: { sandbox: aSandbox(0) }, afterMs: sweepMs },
    { what: "one within a minute", status: { sandbox: aSandbox(59_999) }, afterMs: sweepMs },
    { what: "one after a minute", status: { sandbox: aSandbox(60_000) }, afterMs: sweepMs },
    { what: "one later", status: { sandbox: aSandbox(60_001) }, afterMs: 60_001 + sweepMs },
    { what: "one a day later", status: { sandbox: aSandbox(86_400_000) }, afterMs: 86_400_000 + sweepMs },
    {
      what: "one that has ended, before it is replaced",
      status: { sandbox: { ...aSandbox(86_400_000), endTime: atMs(86_460_000) } },
      afterMs: 86_400_000 + sweepMs,
    },
  ])("is swept $afterMs ms after the Run's start with $what", ({ status, afterMs }) => {
    expect(deadlineOf(status, pendingLimit)).toEqual([afterMs, "ExecutionTimeout"]);
  });
});

describe("a session that waits for a place", () => {
  it("is ended by nothing where its class says nothing", () => {
    expect(deadlineOf(queued(1_000))).toBeUndefined();
  });

  it("has the time that its class gives", () => {
    expect(deadlineOf(queued(1_000), pendingLimit)).toEqual([601_000, "StartDeadlineExceeded"]);
  });

  it("has it from the end of the sandbox that is to be replaced", () => {
    const status = { ...queued(1_000), sandbox: { ...aSandbox(1_000), endTime: atMs(300_000) } };
    expect(deadlineOf(status, pendingLimit)).toEqual([900_000, "StartDeadlineExceeded"]);
  });
});
