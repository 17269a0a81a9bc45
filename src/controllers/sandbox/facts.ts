import type { EventsLeftOut } from "../../api/runtime/events-left-out.ts";
import type { BootFailure, PassedOver, RestoreNote, SnapshotNote } from "../../api/runtime/bundle.ts";
import type { Reason } from "../../api/v1alpha1/reasons.ts";
import type { SandboxClass } from "../../api/v1alpha1/sandbox-class.ts";
import type { BuildNote } from "../../api/runtime/build.ts";
import type { Tunnel } from "../../api/v1alpha1/session-sandbox.ts";
import type { ImageCommit, SessionImage, SessionSkills, SessionStatus } from "../../api/v1alpha1/session.ts";
import type { NetworkPolicy } from "../../kube/core-resources.ts";
import type { ObjectMeta } from "../../lib/resource.ts";
import type { ChosenImage } from "./images/choose.ts";
import type { TunnelObject } from "./network/tunnel-objects.ts";
import type { PodState } from "./observe/pod-state.ts";
import type { AttemptRecord } from "./owner.ts";
import type { WarmPod } from "./pool/warm-pods.ts";
import type { Refusal } from "./refusal.ts";
import type { StartInputs } from "./start/inputs.ts";

/** Why an attempt ends. */
export interface AttemptEnd {
  reason: Reason;
  /** For people. */
  message: string;
}

/** A sandbox pod of an owner. */
export interface ObservedPod extends PodState {
  name: string;
  uid: string;
  /** Unknown for a pod that was just created. */
  resourceVersion?: string | undefined;
  attempt: number;
}

/**
 * What the gateway wrote on the current attempt's Lease. That there is a Lease means that the runtime has connected, and
 * this stays true when the Lease is deleted.
 */
export interface ObservedLease {
  connectedTime?: string | undefined;
  isReady: boolean;
  bootFailure?: BootFailure | undefined;
  /** What boot is at. */
  phase?: AttemptRecord["phase"];
  /** Of an attempt that is a build, once that has gone so far: the commits of the branches, as far as they were found. */
  buildCommits?: readonly ImageCommit[] | undefined;
  /** How saving the workspace ended. */
  snapshot?: SnapshotNote | undefined;
  /** What became of the saved workspace that it was to begin with. */
  restore?: RestoreNote | undefined;
  /** How the build went, of an attempt that is one. */
  built?: BuildNote | undefined;
  /** Repositories of a prebuilt image that stayed at its commit. */
  notUpdated?: readonly string[] | undefined;
  /** Hooks that failed while boot went on. */
  passedOver?: PassedOver | undefined;
  /** When it was last used through a tunnel. */
  tunnelTime?: string | undefined;
  /** What the sandbox has cost so far in US dollars, as far as its agent reported it. */
  costUsd?: string | undefined;
  /** Why events were left out. */
  eventsLeftOut?: EventsLeftOut | undefined;
}

export interface FoundSettings {
  /** What is copied into an owner's status once, with the settings and the class of that moment. */
  copied: Pick<SessionStatus, "executionTimeoutMs" | "lifetimeMs" | "settings" | "settingOrigins" | "repositories">;
  /** Settings that were above what bounds them, a sentence each. */
  bounded: readonly string[];
}

/** A pod that this process created, or adopted, and that its owner's status does not name yet. */
export interface CreatedAttempt {
  attempt: number;
  podName: string;
  podUID: string;
  /** RFC 3339. */
  createTime: string;
  settings: FoundSettings;
  /** Where people reach ports of the sandbox. */
  tunnels: readonly Tunnel[];
  /** What its owner keeps from its first attempt on. */
  skills?: SessionSkills | undefined;
  /** The prebuilt image that it begins with, or why it begins without. */
  image?: SessionImage | undefined;
  /** Objects that open those ports and are still to be created. */
  unopened?: readonly TunnelObject[] | undefined;
  /** The class by which the workspace's volume is saved. */
  volumeSnapshotClassName?: string | undefined;
  /** How long the sandbox may stay up because its workspace cannot be saved, in seconds. */
  maxUnsavedSeconds: number;
  /** Bytes of the largest archive of its workspace. */
  workspaceLimitBytes: number;
  /** The pool in which it waited; its container runs already. */
  pool?: string | undefined;
  /** Names of other people's policies that select the pod. */
  foreignPolicies?: readonly string[] | undefined;
}

/** Why no pod can be started now. */
export type StartObstacle =
  /** A person must change something. */
  | { kind: "refused"; refusal: Refusal }
  /** The class or the namespace has no place for one more; tried again when one may be free. */
  | { kind: "full"; message: string; settings: FoundSettings }
  /** The API server refused the pod, or an object that the pod needs; then there is a pod that must be deleted. */
  | { kind: "rejected"; podName: string; podUID?: string | undefined; message: string }
  /** The owner, or what owns it, is gone or is being deleted: nothing is created for it. */
  | { kind: "gone" };

/** Everything that a start needs, read just before it is decided on. */
export interface ReadyStart {
  inputs: StartInputs;
  settings: FoundSettings;
  /** What runtimes trust the gateway by, PEM. */
  gatewayCa: string;
  /** Where the gateway is, of classes without DNS. */
  gatewayAddresses?: readonly string[];
  /** Whether pods may have users of their own on every Node. */
  hasUserNamespaces?: boolean;
  /** The prebuilt image of its target and class; absent where none is kept, or a saved workspace is restored. */
  image?: ChosenImage | undefined;
  /** A pod of a pool that is taken in place of a new one. */
  warm?: WarmPod | undefined;
  /** A pool serves the owner, whether a pod waits in it or not. */
  hasPool?: boolean | undefined;
  /** All NetworkPolicies of the namespace. */
  policies: readonly NetworkPolicy[];
}

/** What was read for a start that is due. */
export type StartReading =
  | { kind: "ready"; ready: ReadyStart }
  /** The account of owners that name none has to be made, or changed for this default class, first. */
  | { kind: "lacksAccount"; defaultClass: SandboxClass | undefined }
  | StartObstacle;

/** A time without a gateway, in milliseconds since 1970 by this process's clock; without an end it goes on. */
export interface GatewayOutage {
  fromMs: number;
  untilMs?: number;
  /** This process has just begun and has seen no gateway yet: nothing ends by clocks, and nothing is said of it. */
  isAssumed?: true;
}

/** All that a decision about one owner's attempts rests on, read once. */
export interface AttemptFacts {
  pods: readonly ObservedPod[];
  /** Pods that were handed over to the owner and never recorded; nothing was ever given to them. */
  strays?: readonly ObservedPod[] | undefined;
  /** Bundle Secrets of the owner that exist, as metadata. */
  secrets: readonly ObjectMeta[];
  lease?: ObservedLease | undefined;
  /** The VolumeSnapshot of the current attempt's workspace, where there is one, and how it ended. */
  volumeSnapshot?: { note?: SnapshotNote | undefined } | undefined;
  /** VolumeSnapshots of earlier attempts that nothing names any more; absent while no volume is being saved. */
  olderSnapshots?: readonly ObjectMeta[] | undefined;
  /** The runtime of the current attempt was silent for longer than the heartbeat's limit. */
  isSilent: boolean;
  /** Before this (milliseconds since 1970) the connect watchdog ends no runtime; absent: nothing holds it. */
  connectHeldUntilMs?: number | undefined;
  /** The outage of all gateways that goes on or is assumed, or the last one that this process saw the end of. */
  gatewayOutage?: GatewayOutage | undefined;
  start?: CreatedAttempt | undefined;
  /** Of a start that is due. */
  ready?: ReadyStart | undefined;
  lacksAccount?: { defaultClass: SandboxClass | undefined } | undefined;
  obstacle?: StartObstacle | undefined;
}
