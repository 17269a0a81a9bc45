import { describe, expect, it } from "vitest";

import { annotations, type Automation } from "../../api/v1alpha1/index.ts";
import { pausedBecause } from "./not-started.ts";

function anAutomation(suspend: boolean, shown?: string, resumeRequestedAt?: string): Automation {
  const conditions =
    shown === undefined ? [] : [{ type: "Paused", status: shown === "NotPaused" ? "False" : "True", reason: shown }];
  const metadata =
    resumeRequestedAt === undefined ? {} : { annotations: { [annotations.resumeRequestedAt]: resumeRequestedAt } };
  // What is left out has no part in it.
  return { metadata, spec: { suspend }, status: { conditions, resumeHandledAt: "handled" } } as unknown as Automation;
}

describe("pausedBecause", () => {
  it.each([
    { name: "no condition yet", automation: anAutomation(false), want: undefined },
    { name: "runs start", automation: anAutomation(false, "NotPaused"), want: undefined },
    { name: "suspended, not seen by the controller", automation: anAutomation(true, "NotPaused"), want: /by hand/ },
    { name: "suspended", automation: anAutomation(true, "Suspended"), want: /by hand/ },
    { name: "released, not seen by the controller", automation: anAutomation(false, "Suspended"), want: undefined },
    { name: "too many failures", automation: anAutomation(false, "TooManyFailures"), want: /consecutive failures/ },
    {
      name: "a resume that was acted on",
      automation: anAutomation(false, "TooManyFailures", "handled"),
      want: /failures/,
    },
    {
      name: "a resume that was just asked for",
      automation: anAutomation(false, "TooManyFailures", "new"),
      want: undefined,
    },
    { name: "resumed, but suspended", automation: anAutomation(true, "TooManyFailures", "new"), want: /by hand/ },
  ])("$name", ({ automation, want }) => {
    const reason = pausedBecause(automation);
    if (want) expect(reason).toMatch(want);
    else expect(reason).toBeUndefined();
  });
});
