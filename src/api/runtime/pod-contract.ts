/**
 * The contract between a sandbox pod's spec, which the controller writes, and the programs in the sandbox image.
 * docs/internals/pod.md explains each choice.
 *
 * ```
 *   container runtime (UID 10001)                     container agent (UID 10002)
 *   command: runwright-sandbox runtime                command: runwright-sandbox agent
 *   ├─ /run/runwright/socket   volume socket   ─────── /run/runwright/socket
 *   ├─ /run/runwright/token    volume token (projected, read-only)
 *   ├─ /run/runwright/gateway  volume gateway-ca (downward API, read-only)
 *   │                                                  /workspace    volume workspace
 *   │                                                  /home/agent   volume home
 *   │                                                  /tmp          volume tmp
 *   └─ /run/runwright/skills   volume skills   ─────── /run/runwright/skills (read-only)
 * ```
 */

export const sandboxContainers = { runtime: "runtime", agent: "agent" } as const;

/** The image's only program; the sub-command is the container's name. Also git's credential helper. */
export const sandboxProgram = "/usr/local/bin/runwright-sandbox";

/** Command of each container in the pod spec. */
export const sandboxCommands = {
  runtime: [sandboxProgram, "runtime"],
  agent: [sandboxProgram, "agent"],
} as const;

/** User of each container, and their common `runAsGroup` and `fsGroup`; the image has passwd entries for them. */
export const sandboxIds = { runtimeUser: 10_001, agentUser: 10_002, group: 10_000 } as const;

export const sandboxVolumes = {
  /** emptyDir in both containers; the runtime listens there, the agent connects. */
  socket: "socket",
  /** Projected ServiceAccount token, in the runtime's container only. */
  token: "token",
  /** Downward API file of the pod annotation `runwright.dev/gateway-ca`, in the runtime's container only. */
  gatewayCa: "gateway-ca",
  /** emptyDir with the class's `workspaceSizeLimit`, in the agent's container only. */
  workspace: "workspace",
  /** emptyDir, HOME of the agent; where the workspace is on a volume, {@link homeFolder} of that one instead. */
  home: "home",
  /** emptyDir that the runtime writes and the agent reads: the skills of the session. */
  skills: "skills",
  /** emptyDir, for programs that need `/tmp` with a read-only root file system. */
  tmp: "tmp",
} as const;

export const sandboxPaths = {
  socketDirectory: "/run/runwright/socket",
  tokenDirectory: "/run/runwright/token",
  /** `path` of the projected token. */
  tokenFile: "/run/runwright/token/token",
  gatewayCaDirectory: "/run/runwright/gateway",
  /** `path` of the downward API item. */
  gatewayCaFile: "/run/runwright/gateway/ca.crt",
  skills: "/run/runwright/skills",
  workspace: "/workspace",
  home: "/home/agent",
  tmp: "/tmp",
} as const;

/** Where the agent finds the payload of its Run, below its home, where the Automation asks for it. */
export const payloadFile = ".runwright/payload.json";

/** Where a saved workspace has the agent's home: a folder of the archive, and of the volume of a class that has one. */
export const homeFolder = ".runwright-home";

/** Environment of the runtime's container in the pod spec; nothing in it is secret. */
export const runtimeVariables = {
  /** Such as `wss://runwright-gateway.runwright-system.svc:8443`. */
  gatewayUrl: "RUNWRIGHT_GATEWAY_URL",
  sessionUid: "RUNWRIGHT_SESSION_UID",
  attempt: "RUNWRIGHT_ATTEMPT",
  /** Of a pod that waits in a pool, in place of the two before it. */
  podUid: "RUNWRIGHT_POD_UID",
} as const;

/** Environment of the agent's container in the pod spec. */
export const agentVariables = { home: "HOME" } as const;

/** Lifetime of the projected token in seconds; the kubelet replaces it after four fifths of it. */
export const sandboxTokenSeconds = 3600;

/** The only token audience that the gateway's sandbox port accepts. */
export function sandboxAudience(release: { name: string; namespace: string }): string {
  return `runwright-sandbox.${release.namespace}.${release.name}`;
}

/** Token audience of the REST API, which accepts the API server's own audience too. */
export function peopleAudience(release: { name: string; namespace: string }): string {
  return `runwright-api.${release.namespace}.${release.name}`;
}

/** Path of one attempt's WebSocket below the gateway's URL. */
export function sandboxPath(sessionUid: string, attempt: number): string {
  return `/sandbox/v1/sessions/${sessionUid}/attempts/${attempt}`;
}

/** Path at which the runtime of a pod waits for a session. */
export function waitingPath(podUid: string): string {
  return `/sandbox/v1/pods/${podUid}`;
}

/** Path of prompts' images below {@link sandboxPath}; the image's name follows. */
export const imagesPath = "/images/";

/** Path below {@link sandboxPath} to which the runtime sends a file that the agent attached; the UID of the prompt follows. */
export const mediaPath = "/media/";

/** Name of a stream: 192 random bits in hexadecimal, known only to the gateway and the attempt's runtime. */
export const streamPattern = /^[0-9a-f]{48}$/;

/** Path at which the runtime dials a stream. */
export function streamPath(sessionUid: string, attempt: number, stream: string): string {
  return `${sandboxPath(sessionUid, attempt)}/streams/${stream}`;
}

/** The Lease of a gateway replica in the release's namespace, renewed every 5 s. */
export function gatewayLeaseName(podName: string): string {
  return `gateway-${podName}`;
}

/** Label of {@link gatewayLeaseName}'s Leases. */
export const gatewayLeaseLabels = { "runwright.dev/component": "gateway" } as const;
