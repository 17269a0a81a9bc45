import { BootFailure, SnapshotNote } from "../../../api/runtime/bundle.ts";
import { annotations } from "../../../api/v1alpha1/names.ts";
import type { Lease } from "../../../kube/core-resources.ts";
import type { ObservedLease } from "../facts.ts";

/** What the gateway says on a sandbox attempt's Lease. */
export function observeLease({ metadata }: Lease): ObservedLease {
  const said = metadata.annotations ?? {};
  return {
    connectedTime: timeOf(said[annotations.connectedTime]),
    isReady: said[annotations.readyTime] !== undefined,
    bootFailure: bootFailureOf(said[annotations.bootFailure]),
    snapshot: snapshotOf(said[annotations.snapshot]),
  };
}

/** Only shown, but the API server would refuse a status with anything else. */
function timeOf(text: string | undefined): string | undefined {
  return text !== undefined && !Number.isNaN(Date.parse(text)) ? new Date(text).toISOString() : undefined;
}

function bootFailureOf(text: string | undefined): BootFailure | undefined {
  if (text === undefined) return undefined;
  try {
    return BootFailure.parse(JSON.parse(text));
  } catch {
    // That boot failed is known even when the words are not.
    return { phase: "agent", reason: "Unknown", message: "the gateway's note of the failure cannot be read" };
  }
}

function snapshotOf(text: string | undefined): SnapshotNote | undefined {
  if (text === undefined) return undefined;
  try {
    return SnapshotNote.parse(JSON.parse(text));
  } catch {
    return { problem: "the gateway's note of it cannot be read" };
  }
}
