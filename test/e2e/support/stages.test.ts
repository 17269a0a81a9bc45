import { describe, expect, it } from "vitest";

import { annotations, type Run } from "../../../src/api/v1alpha1/index.ts";
import type { Lease, Pod } from "../../../src/kube/core-resources.ts";
import { aContainerStatus, aRun, aSession } from "../../support/builders.ts";
import { reachedStages, type RunView } from "./stages.ts";

const time = "2026-01-01T00:00:00Z";

function aPod(state: "waiting" | "running" | undefined): Pod {
  const waiting = { waiting: { reason: "ContainerCreating" } };
  const runtime = aContainerStatus("runtime", state === "running" ? { running: {} } : waiting);
  return { metadata: { name: "p" }, status: state === undefined ? {} : { containerStatuses: [runtime] } };
}

function aLease(isReady: boolean): Lease {
  return { metadata: { name: "l", annotations: isReady ? { [annotations.readyTime]: time } : {} } };
}

const verdict = (status: "True" | "Unknown"): Run["status"] => ({
  conditions: [{ type: "Succeeded", status, reason: "R", message: "", lastTransitionTime: time }],
});

describe("reachedStages", () => {
  const rows: { name: string; view: RunView; want: string[] }[] = [
    { name: "nothing is there", view: {}, want: [] },
    { name: "the Run waits", view: { run: aRun() }, want: [] },
    {
      name: "the Run has started",
      view: { run: aRun({ status: { startTime: time, ...verdict("Unknown") } }) },
      want: ["runSeen"],
    },
    { name: "the Run was skipped", view: { run: aRun({ status: verdict("True") }) }, want: ["runSeen", "finished"] },
    { name: "the pod has no containers yet", view: { pod: aPod(undefined) }, want: ["podCreated"] },
    { name: "the runtime's container waits", view: { pod: aPod("waiting") }, want: ["podCreated"] },
    { name: "the runtime's container runs", view: { pod: aPod("running") }, want: ["podCreated", "containerStarted"] },
    { name: "the runtime has connected", view: { lease: aLease(false) }, want: ["connected"] },
    { name: "the runtime is ready", view: { lease: aLease(true) }, want: ["connected", "ready"] },
    {
      name: "the prompt is processed",
      view: {
        session: aSession({ status: { currentPrompt: { name: "p", uid: "u", startTime: time, deadline: time } } }),
      },
      want: ["promptStarted"],
    },
  ];

  it.each(rows)("sees that $name", ({ view, want }) => {
    expect(reachedStages(view)).toEqual(want);
  });
});
