import { z } from "zod";
import { TextMap } from "./text-map.ts";

/**
 * What a sandbox needs to boot, made by the controller, stored in the bundle Secret of the attempt and handed to the
 * runtime by the gateway. The runtime gives the agent's container only what belongs there.
 */

/** Credentials of one git server, used by the runtime's credential helper for this repository's URL only. */
export const GitCredential = z.object({ username: z.string(), password: z.string() });
export type GitCredential = z.infer<typeof GitCredential>;

/** For a repository that is reached over SSH; the key stays with the runtime, which signs with it. */
export const SshKey = z.object({
  /** OpenSSH's or PEM form, without a passphrase. */
  privateKey: z.string(),
  /** Lines of known_hosts; no other server is spoken to. */
  knownHosts: z.string(),
});
export type SshKey = z.infer<typeof SshKey>;

export const BundleRepository = z.object({
  /** Name of the Repository object, also its directory below the workspace. */
  name: z.string(),
  url: z.string(),
  branch: z.string(),
  credential: GitCredential.optional(),
  /** The gateway mints the credential when it is asked. */
  mintsCredential: z.literal(true).optional(),
  sshKey: SshKey.optional(),
  /** PEM certificates that are trusted for this server besides the image's own. */
  caCertificates: z.string().optional(),
});
export type BundleRepository = z.infer<typeof BundleRepository>;

/** Ports of the sandbox that people reach through the gateway. */
export const BundleTunnels = z.object({
  ports: z.array(z.int().min(1).max(65_535)).max(10),
  /** How long `start.sh` waits for their URLs; `TUNNEL_WAIT_TIMEOUT_SECONDS`. */
  waitSeconds: z.int().min(0),
});
export type BundleTunnels = z.infer<typeof BundleTunnels>;

export const Bundle = z.object({
  version: z.literal(1),
  session: z.object({ namespace: z.string(), name: z.string(), uid: z.string(), attempt: z.int() }),
  /** In order; the first is the primary one. Empty: an empty workspace. */
  repositories: z.array(BundleRepository),
  /** The session's merged secrets, for hooks and agent. */
  environment: TextMap,
  agent: z.object({
    command: z.array(z.string()).min(1),
    protocol: z.enum(["exec", "acp"]),
    /** How an `acp` agent is answered that asks whether it may use a tool; `Allow` without. */
    permissionRequests: z.enum(["Allow", "Reject"]).optional(),
  }),
  tunnels: BundleTunnels.optional(),
  /** The attempt whose workspace was saved last, to be brought back. */
  restores: z.int().min(1).optional(),
  /** The workspace's volume was made from a snapshot, so there is nothing to bring. */
  hasWorkspace: z.boolean().optional(),
});
export type Bundle = z.infer<typeof Bundle>;

/** A boot that failed for good, as the gateway writes it on the Lease. */
export const BootFailure = z.object({
  phase: z.enum(["clone", "setup", "start", "agent"]),
  reason: z.string().max(64),
  message: z.string().max(1024),
});
export type BootFailure = z.infer<typeof BootFailure>;

/** How the saving of a workspace came out, as the gateway writes it on the Lease. */
export const SnapshotNote = z.object({
  bytes: z.int().min(0).optional(),
  /** Name of the archive; none of a volume. */
  archive: z.string().min(1).max(63).optional(),
  problem: z.string().max(1024).optional(),
});
export type SnapshotNote = z.infer<typeof SnapshotNote>;
