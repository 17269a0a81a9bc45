import type { ObservedChild } from "../../domain/children/admit.ts";
import type { ChildVerdict } from "./observe/family.ts";
import type { BootFailure, SnapshotNote } from "../../api/runtime/bundle.ts";
import type { Prompt } from "../../api/v1alpha1/prompt.ts";
import type { Session, SessionStatus, Tunnel } from "../../api/v1alpha1/session.ts";
import type { ObjectMeta } from "../../lib/resource.ts";
import type { PodState } from "../sandbox/observe/pod-state.ts";
import type { Refusal } from "../sandbox/refusal.ts";

/** A sandbox pod of the session; which attempt it belongs to is in its labels. */
export interface ObservedPod extends PodState {
  name: string;
  uid: string;
  /** Unknown for a pod that was just created. */
  resourceVersion?: string | undefined;
  attempt: number;
}

/**
 * What the gateway wrote on the current attempt's Lease; that there is one means that the runtime has connected, and so it
 * stays when somebody deletes the Lease.
 */
export interface ObservedLease {
  connectedTime?: string | undefined;
  isReady: boolean;
  bootFailure?: BootFailure | undefined;
  /** How the saving of the workspace came out. */
  snapshot?: SnapshotNote | undefined;
}

/** What is copied into the status once, as settings and class are then. */
export type CopiedSettings = Pick<SessionStatus, "executionTimeoutMs" | "lifetimeMs" | "settings" | "settingOrigins">;

export interface FoundSettings {
  copied: CopiedSettings;
  /** Settings that were above what bounds them, a sentence each. */
  bounded: readonly string[];
}

/** A pod that this process created, or adopted, and has not recorded in the status yet. */
export interface UnrecordedStart {
  attempt: number;
  podName: string;
  podUID: string;
  /** RFC 3339. */
  createTime: string;
  forPromptUID?: string | undefined;
  replacement: boolean;
  settings: FoundSettings;
  /** Where people reach ports of the sandbox. */
  tunnels: readonly Tunnel[];
  /** By which class the workspace's volume is saved. */
  volumeSnapshotClassName?: string | undefined;
  /** Names of policies of others that select the pod. */
  foreignPolicies?: readonly string[] | undefined;
}

/** How the start that this pass tried came out, where no pod came of it. */
export type StartObstacle =
  /** A person must change something. */
  | { kind: "refused"; refusal: Refusal }
  /** The class or the namespace has no place for one more; tried again when one may be free. */
  | { kind: "full"; message: string; settings: FoundSettings }
  /** The API server refused the pod, or what the pod needs; then there is a pod, which has to go. */
  | { kind: "rejected"; podName: string; podUID?: string | undefined; message: string; bundle: ObjectMeta | undefined }
  /** The session or its owner is gone or going: nothing is made for it. */
  | { kind: "gone" };

/** All that a decision about one session rests on, read once. */
export interface SessionFacts {
  session: Session;
  /** The session's prompts, those in deletion left out, in the order of their creation. */
  prompts: readonly Prompt[];
  /** There are prompts that nobody looks at before the Run's own one is there. */
  awaitsFirst?: boolean | undefined;
  pods: readonly ObservedPod[];
  /** Bundle Secrets of the session that exist, as metadata. */
  secrets: readonly ObjectMeta[];
  lease?: ObservedLease | undefined;
  /** The VolumeSnapshot of the current attempt's workspace, where there is one, and how it came out. */
  volumeSnapshot?: { note?: SnapshotNote | undefined } | undefined;
  /** The runtime of the current attempt was silent for longer than the heartbeat's limit. */
  isSilent: boolean;
  /** Before this (milliseconds since 1970) the connect watchdog ends no runtime; absent: nothing holds it. */
  connectHeldUntilMs?: number | undefined;
  /** What its parent has decided about a child session. */
  verdict?: ChildVerdict | undefined;
  /** Its own children. */
  children: readonly ObservedChild[];
  start?: UnrecordedStart | undefined;
  obstacle?: StartObstacle | undefined;
}
