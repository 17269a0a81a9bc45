import { group } from "./group.ts";

/** Labels that the operator sets and reads. */
export const labels = {
  automationUid: `${group}/automation-uid`,
  automationName: `${group}/automation`,
  /** On key-hash Secrets: namespace of their Automation. */
  automationNamespace: `${group}/automation-namespace`,
  runUid: `${group}/run-uid`,
  /** On a child Session: UID of its parent. */
  parentUid: `${group}/parent-uid`,
  /** On the Secrets of an Integration: its UID and namespace. */
  integrationUid: `${group}/integration-uid`,
  integrationNamespace: `${group}/integration-namespace`,
  /** On Sessions and Prompts that the connector made: UID of their Conversation. */
  conversationUid: `${group}/conversation-uid`,
  /** On Prompts that feedback on a pull request became: UID of the PullRequest. */
  pullRequestUid: `${group}/pull-request-uid`,
  sessionUid: `${group}/session-uid`,
  sessionName: `${group}/session-name`,
  sessionNamespace: `${group}/session-namespace`,
  /** Who owns an attempt that is no Session's: kind, UID, name and namespace. */
  ownerKind: `${group}/owner-kind`,
  ownerUid: `${group}/owner-uid`,
  ownerName: `${group}/owner-name`,
  ownerNamespace: `${group}/owner-namespace`,
  attempt: `${group}/attempt`,
  /** On a sandbox pod that waited in a SandboxPool before it became its owner's: the pool's name. */
  claimedFrom: `${group}/claimed-from`,
  /** On a Secret of a stored set of skills: its bytes. */
  skillsBytes: `${group}/skills-bytes`,
  /** On the bundle Secret of a build: keyed hash of the secrets in it. */
  secretsMac: `${group}/secrets-mac`,
  sandboxClass: `${group}/sandbox-class`,
  /** On Secrets of users: global, repository or environment. */
  secretScope: `${group}/secret-scope`,
  scopeName: `${group}/scope-name`,
  /** On objects of a release: `<namespace>.<release>`. */
  release: `${group}/release`,
  /** On sandbox pods; the NetworkPolicy selects it. */
  component: "app.kubernetes.io/component",
} as const;

/** The cluster autoscaler's annotation of pods: whether it may delete them to remove their node. */
export const safeToEvict = "cluster-autoscaler.kubernetes.io/safe-to-evict";

/** What the gateway notes on the Lease of an attempt. Its admission policy lets it write these and no others. */
export const attemptNotes = {
  /** On a session's Lease: when the runtime first connected. */
  connectedTime: `${group}/connected-time`,
  /** On a session's Lease: number of the runtime's connection that the holder has; a later one outranks it. */
  connection: `${group}/connection`,
  /** On a session's Lease: the last heartbeat, once none has come for longer than `protocolTimes.silenceMs`. */
  silentSince: `${group}/silent-since`,
  /** On a session's Lease: when the runtime reported that boot had ended. */
  readyTime: `${group}/ready-time`,
  /** On a session's Lease: JSON of {@link BootFailure} when boot failed for good. */
  bootFailure: `${group}/boot-failure`,
  /** On a session's Lease: JSON of {@link BootPhaseNote}, the phase of boot that goes on. */
  bootPhase: `${group}/boot-phase`,
  /** On a session's Lease: JSON of {@link SnapshotNote} when saving the workspace has succeeded or failed. */
  snapshot: `${group}/snapshot`,
  /** On a session's Lease: what the sandbox has cost so far in US dollars, such as `0.25`, as far as its agent reported it. */
  costUsd: `${group}/cost-usd`,
  /** On a session's Lease: JSON of {@link RestoreNote}. */
  restore: `${group}/restore`,
  /** On the Lease of a build: JSON of {@link BuildNote}, how the build went. */
  built: `${group}/built`,
  /** On a session's Lease: JSON list of the Repositories of a prebuilt image that stayed at its commit. */
  notUpdated: `${group}/not-updated`,
  /** On a session's Lease: JSON of {@link PassedOver}, the hooks that failed while boot went on. */
  passedOver: `${group}/passed-over`,
  /** On a session's Lease: when its sandbox was last used through a tunnel, to the minute. */
  tunnelTime: `${group}/tunnel-time`,
  /** On a session's Lease: JSON of {@link EventsLeftOut}, why events of the attempt were not kept. */
  eventsLeftOut: `${group}/events-left-out`,
} as const;
export type AttemptNote = (typeof attemptNotes)[keyof typeof attemptNotes];

/** What the gateway notes on Leases in the release's namespace. Its admission policy lets it write these and no others. */
export const replicaNotes = {
  /** On a gateway's own Lease: where the other replicas reach its REST API, `address:port`. */
  peopleAddress: `${group}/people-address`,
  /** On the Lease of the archive's writer: JSON of {@link StoredMark}. */
  stored: `${group}/stored`,
  /** On a gateway's own Lease: UIDs of the pods whose runtimes wait there for a session, separated by commas. */
  waitingPods: `${group}/waiting-pods`,
} as const;
export type ReplicaNote = (typeof replicaNotes)[keyof typeof replicaNotes];

export const annotations = {
  /** Resumes a paused automation; any new value, usually the time. */
  resumeRequestedAt: `${group}/resume-requested-at`,
  /** Requests a build of a PrebuiltImage; any new value, usually the time. */
  rebuildRequestedAt: `${group}/rebuild-requested-at`,
  /**
   * On a Prompt that reported a branch: has the branch's pull request opened, or its state read again; the time of the request,
   * which counts for a day.
   */
  pullRequestRequestedAt: `${group}/pull-request-requested-at`,
  /** On a manual Run: start even while the automation is paused. */
  whilePaused: `${group}/while-paused`,
  /** On a Run that replays a stored delivery: the delivery's id. */
  replayOf: `${group}/replay-of`,
  /** On a Run that stands for a skipped one whose idempotency key was freed: JSON of {@link SkippedRun}. */
  skipped: `${group}/skipped`,
  /** On a Run: the W3C `traceparent` of the trace it belongs to. On its Sessions: that of the Run's own span. */
  traceparent: `${group}/traceparent`,
  /** On copied key-hash Secrets: the source. The copy is deleted when the automation no longer names it. */
  copiedFrom: `${group}/copied-from`,
  /** On a key-hash Secret: the beginning of the hash, to tell keys apart. */
  keyHint: `${group}/key-hint`,
  /** On a Run, Session or Prompt that gateway or connector made: the user name of the requester, or who it is at a provider. */
  requestedBy: `${group}/requested-by`,
  ...attemptNotes,
  ...replicaNotes,
  /** On a sandbox pod: the gateway's certificate authorities, PEM; mounted by the downward API. */
  gatewayCa: `${group}/gateway-ca`,
} as const;

/** Value of {@link labels.component} on sandbox pods and on what exists for their sake. */
export const sandboxComponent = "sandbox";

/** ServiceAccount of sessions that name none; the controller creates it in the tenant's namespace with few rights. */
export const sandboxAccountName = "runwright-sandbox";

/** The Lease of the controller that leads, in the release's namespace. */
export function controllerLeaseName(release: string): string {
  return `${release}-controller`;
}

/** The Lease of the connector that leads, in the release's namespace. */
export function connectorLeaseName(release: string): string {
  return `${release}-connector`;
}

/** The Lease of the archive's writer in the release's namespace. */
export function archiveLeaseName(release: string): string {
  return `${release}-archive`;
}

/** The key-hash Secret of an Automation in the keys namespace. */
export function keySecretName(automationUid: string): string {
  return `automation-${automationUid}`;
}

/** The Secret of an Integration, of one name in two namespaces: signing secrets with the keys, credentials with the tokens. */
export function integrationSecretName(integrationUid: string): string {
  return `integration-${integrationUid}`;
}

/** Data key of the key-hash Secret: lower-case hexadecimal SHA-256 of the key's text. */
export const keyHashDataKey = "sha256";

/** Data keys of the Secret of an Automation or Integration in the keys namespace: signing secrets that are valid, as text. */
export const signingSecretDataKeys = { current: "signing-secret", previous: "previous-signing-secret" } as const;

/** Data keys of an Integration's Secret in the tokens namespace, and of the one that a person names: an OAuth application of Linear's. */
export const linearCredentialKeys = { clientId: "client-id", clientSecret: "client-secret" } as const;

/** The same for Slack: the token of an app's bot. */
export const slackCredentialKeys = { botToken: "bot-token" } as const;

/** The same for GitHub: the private key of an App, as GitHub generates it. */
export const githubCredentialKeys = { privateKey: "private-key" } as const;

/** Name of the bundle Secret and of the Lease of one sandbox attempt in the sessions namespace. */
export function attemptName(sessionUid: string, attempt: number): string {
  return `${sessionUid}-${String(attempt)}`;
}

/** Data key of the bundle Secret: JSON of the runtime's bundle. */
export const bundleDataKey = "bundle.json";

/** Data key of the bundle Secret for the gateway only: JSON of {@link GitHubApps}. */
export const githubAppsDataKey = "github-apps.json";

/** Data key of a Secret that holds a piece of a set of skills. */
export const skillsDataKey = "skills.json";

/** The Secret in the sessions namespace that holds a piece, counted from 0, of the set of skills with this digest. */
export function skillPieceName(digest: string, piece: number): string {
  return `skills-${digest.slice("sha256:".length)}-${String(piece)}`;
}

/** The digest of the set of skills that a Secret of this name holds a piece of; undefined for others. */
export function digestOfSkillPiece(name: string): string | undefined {
  const [, digits] = /^skills-([0-9a-f]{64})-[0-9]+$/.exec(name) ?? [];
  return digits === undefined ? undefined : `sha256:${digits}`;
}

/** The Secret in the sessions namespace with the key of hashes of secrets, and its data key. */
export const secretsMacSecretName = "secrets-mac-key";
export const secretsMacDataKey = "key";

export const gatewayCaSecretName = "gateway-ca";
export const gatewayTlsSecretName = "gateway-tls";

/** The ConfigMap in the release's namespace by which people trust the gateway: the authorities of its certificate. */
export function gatewayAuthoritiesName(release: string): string {
  return `${release}-gateway-ca`;
}

/** Its data key: PEM certificates. */
export const gatewayAuthoritiesDataKey = "ca.crt";

/** The name in the gateway's certificate by which people check it. */
export function gatewayServerName({ name, namespace }: { name: string; namespace: string }): string {
  return `${name}-gateway.${namespace}.svc`;
}

export const conditionTypes = {
  ready: "Ready",
  reconciling: "Reconciling",
  stalled: "Stalled",
  succeeded: "Succeeded",
  paused: "Paused",
  keyIssued: "KeyIssued",
  /** Warning on a Session, PrebuiltImage or SandboxPool: another NetworkPolicy allows its sandboxes more than their class does. */
  foreignNetworkPolicy: "ForeignNetworkPolicy",
  /** On a Session that was to be saved: whether its workspace was, the last time. */
  workspaceSaved: "WorkspaceSaved",
  /** On a Session that had a saved workspace: whether the last sandbox that was to begin with it did. */
  workspaceRestored: "WorkspaceRestored",
  /** Warning on a Session or Repository: a setting was replaced by its bound. */
  settingsBounded: "SettingsBounded",
  /** Warning on a Repository or Environment: sessions that take all Skills do not start. */
  skillsTooLarge: "SkillsTooLarge",
  /** Warning on a Session: its cost limit bounds nothing. */
  costLimitNotEnforced: "CostLimitNotEnforced",
  /** On a PrebuiltImage whose last build failed. */
  buildFailed: "BuildFailed",
  /** Warning on a PrebuiltImage: values of secrets are in files of the image. */
  secretsInImage: "SecretsInImage",
  /** On a Session that began with a prebuilt image: whether its Repositories were updated to their branches. */
  prebuiltImageUpdated: "PrebuiltImageUpdated",
  /** Warning on a Session or Run: a hook failed, and its sandbox went on without what that would have done. */
  hooksPassedOver: "HooksPassedOver",
  /** Warning on a Session or PrebuiltImage: events of it were not kept. */
  eventsLeftOut: "EventsLeftOut",
  /** Warning on a SandboxClass: addresses of the cluster may count as the internet's. */
  clusterRangesUnknown: "ClusterRangesUnknown",
  /** Warning on an Integration or a Repository: autofix is on, and no feedback can come. */
  autofixSilent: "AutofixSilent",
  /** Warning on an Integration: Slack refuses calls for which its app lacks a scope. */
  scopesMissing: "ScopesMissing",
} as const;

/** Key prefix of a session's saved workspaces; each attempt has a folder below it. */
export function snapshotsOf(sessionUid: string): string {
  return `${sessionUid}/snapshots/`;
}

/** A saved workspace; each try to save it has its own archive name. */
export interface SavedArchive {
  attempt: number;
  archive: string;
}

/** Key prefix of one archive. */
export function archivePrefix(sessionUid: string, { attempt, archive }: SavedArchive): string {
  return `${snapshotsOf(sessionUid)}${String(attempt)}/${archive}/`;
}

/** The blob that holds an archive. */
export function archiveKey(sessionUid: string, saved: SavedArchive): string {
  return `${archivePrefix(sessionUid, saved)}workspace.tar.zst`;
}

/** The archive that a blob below {@link snapshotsOf} an owner belongs to. */
export function parseArchiveKey(key: string): SavedArchive {
  const [, , attempt, archive = ""] = key.split("/");
  return { attempt: Number(attempt), archive };
}
