import { group } from "./kind.ts";

/** Labels that the operator sets; values that must be exact are UIDs. */
export const labels = {
  automationUid: `${group}/automation-uid`,
  automationName: `${group}/automation`,
  /** On key-hash Secrets: where their Automation is. */
  automationNamespace: `${group}/automation-namespace`,
  runUid: `${group}/run-uid`,
  /** On a child Session: UID of its parent. */
  parentUid: `${group}/parent-uid`,
  sessionUid: `${group}/session-uid`,
  sessionName: `${group}/session-name`,
  sessionNamespace: `${group}/session-namespace`,
  /** Who owns an attempt that is no Session's: kind, UID, name and namespace. */
  ownerKind: `${group}/owner-kind`,
  ownerUid: `${group}/owner-uid`,
  ownerName: `${group}/owner-name`,
  ownerNamespace: `${group}/owner-namespace`,
  attempt: `${group}/attempt`,
  sandboxClass: `${group}/sandbox-class`,
  /** On Secrets of people: global, repository or environment. */
  secretScope: `${group}/secret-scope`,
  scopeName: `${group}/scope-name`,
  /** On what belongs to a release: `<namespace>.<release>`. */
  release: `${group}/release`,
  /** On sandbox pods; the NetworkPolicy selects it. */
  component: "app.kubernetes.io/component",
} as const;

export const annotations = {
  /** Resumes a paused automation; any new value, usually the time. */
  resumeRequestedAt: `${group}/resume-requested-at`,
  /** On a manual Run: start although the automation is paused. */
  whilePaused: `${group}/while-paused`,
  /** On a Run made by a person from a delivery that was stored: the id of that delivery. */
  replayOf: `${group}/replay-of`,
  /** On a Run: the W3C `traceparent` of what it is part of. */
  traceparent: `${group}/traceparent`,
  /** On key-hash Secrets that are copies: they go when the automation names no source any more. */
  copiedFrom: `${group}/copied-from`,
  /** On a Run or Prompt that the gateway made: the user name of who asked. */
  requestedBy: `${group}/requested-by`,
  /** On a session's Lease: when the runtime first connected. */
  connectedTime: `${group}/connected-time`,
  /** On a session's Lease: when the runtime reported that boot had ended. */
  readyTime: `${group}/ready-time`,
  /** On a session's Lease: JSON of {@link BootFailure} when boot failed for good. */
  bootFailure: `${group}/boot-failure`,
  /** On a session's Lease: JSON of {@link SnapshotNote} when the workspace was saved, or will not be. */
  snapshot: `${group}/snapshot`,
  /** On a gateway's own Lease: where the other replicas reach its port for people, `address:port`. */
  peopleAddress: `${group}/people-address`,
  /** On a sandbox pod: the gateway's certificate authorities, PEM; mounted by the downward API. */
  gatewayCa: `${group}/gateway-ca`,
} as const;

/** ServiceAccount of sessions that name none; the controller makes it in the tenant's namespace with few rights. */
export const sandboxAccountName = "runwright-sandbox";

/** The key-hash Secret of an Automation in the keys namespace. */
export function keySecretName(automationUid: string): string {
  return `automation-${automationUid}`;
}

/** Data key of the key-hash Secret: lower-case hexadecimal SHA-256 of the key's text. */
export const keyHashDataKey = "sha256";

/** Name of the bundle Secret and of the Lease of one sandbox attempt in the sessions namespace. */
export function attemptName(sessionUid: string, attempt: number): string {
  return `${sessionUid}-${String(attempt)}`;
}

/** Data key of the bundle Secret: JSON of the runtime's bundle. */
export const bundleDataKey = "bundle.json";

/** Data key of the bundle Secret that never leaves the gateway: JSON of {@link GitHubApps}. */
export const githubAppsDataKey = "github-apps.json";

export const gatewayCaSecretName = "gateway-ca";
export const gatewayTlsSecretName = "gateway-tls";

/** Condition types beside what kstatus reads. */
export const conditionTypes = {
  ready: "Ready",
  reconciling: "Reconciling",
  stalled: "Stalled",
  succeeded: "Succeeded",
  paused: "Paused",
  keyIssued: "KeyIssued",
  /** On a Session, a warning: more is allowed to its sandbox than its class says. */
  foreignNetworkPolicy: "ForeignNetworkPolicy",
  /** On a Session or Repository, a warning: a setting was above what bounds it. */
  settingsBounded: "SettingsBounded",
} as const;

/** Where the saved workspaces of a session are, in a folder for each attempt's number. */
export function snapshotsOf(sessionUid: string): string {
  return `${sessionUid}/snapshots/`;
}

/** A saved workspace: the attempt's, and the name of the archive, of which each saving of one has its own. */
export interface SavedArchive {
  attempt: number;
  archive: string;
}

/** The folder of an archive and of nothing else. */
export function archivePrefix(sessionUid: string, { attempt, archive }: SavedArchive): string {
  return `${snapshotsOf(sessionUid)}${String(attempt)}/${archive}/`;
}

/** The blob that holds an archive. */
export function archiveKey(sessionUid: string, saved: SavedArchive): string {
  return `${archivePrefix(sessionUid, saved)}workspace.tar.zst`;
}
