import { expect, it } from "vitest";

import { annotations, attemptNotes, replicaNotes } from "../../api/v1alpha1/names.ts";
import { processWrites } from "../../api/v1alpha1/process-policies.ts";
import type { Notes } from "./silence.ts";

const writes = processWrites({ release: { name: "rw", namespace: "system" } }).gateway;

/** Annotations that the policies let the gateway write on Leases of a namespace of the release. */
function annotationsOf(namespace: "sessions" | "release"): string[][] {
  const rows = writes.filter((row) => row.resource === "leases" && row.namespace === namespace);
  return rows.map(({ metadata }) => {
    const rule = metadata?.annotations;
    return rule?.kind === "members" ? Object.keys(rule.of) : [];
  });
}

it("the policies let the gateway write all notes that it has, and no others", () => {
  const [ofAttempts, ofReplicas] = [Object.values(attemptNotes), Object.values(replicaNotes)];
  expect(annotationsOf("sessions")).toEqual([ofAttempts, ofAttempts]);
  expect(annotationsOf("release")).toEqual([ofReplicas, ofReplicas]);
});

it("a note that the policies do not know is none by its type", () => {
  const known: Notes = { [annotations.built]: "{}", [annotations.silentSince]: null };
  // @ts-expect-error: add it to attemptNotes, or the API server refuses it.
  const foreign: Notes = { [annotations.gatewayCa]: "{}" };
  // @ts-expect-error: as before.
  const invented: Notes = { "runwright.dev/invented": "{}" };
  expect([known, foreign, invented]).toHaveLength(3);
});
