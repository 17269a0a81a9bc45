import type { PoolMember, SandboxPool } from "../../api/v1alpha1/sandbox-pool.ts";
import type { ObservedPod } from "../sandbox/facts.ts";
import type { WarmSource } from "../sandbox/pool/revision.ts";
import type { Refusal } from "../sandbox/refusal.ts";

/** A member, and what there is of its pod. */
export interface ObservedMember {
  member: PoolMember;
  /** Its pod, while it is the pool's. */
  pod?: ObservedPod | undefined;
  /** The pod is gone, or has become a session's. */
  isGone: boolean;
  /** A session has taken it. */
  isTaken?: boolean | undefined;
  /** The pod was created by this process, or found to be as one that is created now. */
  isVerified: boolean;
  /** Its runtime waits at a gateway and the kubelet says that it has started, so that a session may take it. */
  isWaiting: boolean;
}

/** What pods of the pool are made of now. */
export interface PoolSource {
  source: WarmSource;
  revision: string;
}

/** All that a decision about one pool rests on, read once. */
export interface PoolFacts {
  pool: SandboxPool;
  members: readonly ObservedMember[];
  /** Pods of the pool that its status does not name. */
  unnamed: readonly ObservedPod[];
  /** How many sandboxes may wait in this pool, by its class; and why not more. */
  room: { places: number; why: string };
  made: PoolSource | { missing: Refusal };
  /** Sessions take sandboxes at the moment: what they took stays in the status and is replaced later. */
  isBusy?: boolean | undefined;
  /** That more sandboxes wait than the status shows is shown later, together with others. */
  isGathering?: boolean | undefined;
  /** Names of other people's policies that select its pods; undefined where that is not known. */
  foreignPolicies?: readonly string[] | undefined;
  /** Why none are created for now. */
  obstacle?: Refusal | undefined;
}
