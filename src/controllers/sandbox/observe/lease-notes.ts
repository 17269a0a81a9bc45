import { z } from "zod";
import { BootFailure, BootPhaseNote, PassedOver, RestoreNote, SnapshotNote } from "../../../api/runtime/bundle.ts";
import { BuildNote } from "../../../api/runtime/build.ts";
import { EventsLeftOut } from "../../../api/runtime/events-left-out.ts";
import { annotations } from "../../../api/v1alpha1/names.ts";
import { costUsd } from "../../../api/v1alpha1/outcome.ts";
import type { Lease } from "../../../kube/core-resources.ts";
import type { ObservedLease } from "../facts.ts";

/** What the gateway says on a sandbox attempt's Lease. */
export function observeLease({ metadata }: Lease): ObservedLease {
  const said = metadata.annotations ?? {};
  const phase = noteOf(BootPhaseNote, said[annotations.bootPhase], undefined);
  return {
    connectedTime: timeOf(said[annotations.connectedTime]),
    isReady: said[annotations.readyTime] !== undefined,
    bootFailure: noteOf(BootFailure, said[annotations.bootFailure], unreadableFailure),
    phase: phaseOf(phase),
    buildCommits: phase?.commits,
    snapshot: noteOf(SnapshotNote, said[annotations.snapshot], { problem: "the gateway's note of it cannot be read" }),
    restore: noteOf(RestoreNote, said[annotations.restore], undefined),
    built: noteOf(BuildNote, said[annotations.built], undefined),
    notUpdated: noteOf(NotUpdated, said[annotations.notUpdated], undefined),
    passedOver: noteOf(PassedOver, said[annotations.passedOver], undefined),
    tunnelTime: timeOf(said[annotations.tunnelTime]),
    costUsd: costNoted({ metadata }),
    eventsLeftOut: noteOf(EventsLeftOut, said[annotations.eventsLeftOut], undefined),
  };
}

/** What the gateway says that the sandbox has cost so far; undefined where it says nothing, or what cannot be read. */
export function costNoted({ metadata }: Pick<Lease, "metadata">): string | undefined {
  return CostText.safeParse(metadata.annotations?.[annotations.costUsd]).data;
}

const NotUpdated = z.array(z.string().max(63)).max(10);

const CostText = costUsd(32);

/** Only shown, but the API server would refuse a status with anything else. */
function timeOf(text: string | undefined): string | undefined {
  return text !== undefined && !Number.isNaN(Date.parse(text)) ? new Date(text).toISOString() : undefined;
}

const phaseNames = {
  restore: "Restoring",
  clone: "Cloning",
  setup: "SetUp",
  start: "Start",
  agent: "StartingAgent",
} as const;

function phaseOf(note: BootPhaseNote | undefined): ObservedLease["phase"] {
  if (!note) return undefined;
  const { phase, repository, since } = note;
  return { name: phaseNames[phase], ...(repository !== undefined && { repository }), since };
}

/** A note of the gateway; `unreadable` is what is known without its words. */
function noteOf<T>(
  schema: { parse(note: unknown): T },
  text: string | undefined,
  unreadable: T | undefined,
): T | undefined {
  if (text === undefined) return undefined;
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    return unreadable;
  }
}

const unreadableFailure: BootFailure = {
  phase: "agent",
  reason: "Unknown",
  message: "the gateway's note of the failure cannot be read",
};
