import { z } from "zod";
import { Clone } from "../v1alpha1/clone.ts";
import { BundleBuild, BundleImage, RepositoryCommits } from "./build.ts";
import { BundleSkills } from "./skill-set.ts";
import { TextMap } from "./text-map.ts";

/**
 * The data that a sandbox needs to boot. The controller stores it in the attempt's bundle Secret, and the gateway sends it
 * to the runtime. The agent's container gets only parts of it.
 */

/** Credential for one repository's URL; the runtime gives it to git's credential helper. */
export const GitCredential = z.object({ username: z.string(), password: z.string() });
export type GitCredential = z.infer<typeof GitCredential>;

/** For a repository with an SSH URL; the key stays in the runtime, which signs logins with it. */
export const SshKey = z.object({
  /** In OpenSSH or PEM format, without a passphrase. */
  privateKey: z.string(),
  /** Lines of known_hosts; connections to other servers are refused. */
  knownHosts: z.string(),
});
export type SshKey = z.infer<typeof SshKey>;

export const BundleRepository = z.object({
  /** Name of the Repository object, also its directory below the workspace. */
  name: z.string(),
  url: z.string(),
  branch: z.string(),
  /** Checked out instead of the branch. */
  commit: z.string().optional(),
  clone: Clone.optional(),
  credential: GitCredential.optional(),
  /** Whether the gateway mints the credential on request. */
  mintsCredential: z.literal(true).optional(),
  sshKey: SshKey.optional(),
  /** PEM certificates that are trusted for this server in addition to the image's own. */
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
  /** In order; the first is the primary one. Empty for an empty workspace. */
  repositories: z.array(BundleRepository),
  /** The session's merged secrets, for hooks and agent. */
  environment: TextMap,
  agent: z.object({
    command: z.array(z.string()).min(1),
    protocol: z.enum(["exec", "acp"]),
    /** Answer to an `acp` agent's permission requests; `Allow` when left out. */
    permissionRequests: z.enum(["Allow", "Reject"]).optional(),
  }),
  /** The set of skills that the agent gets; the gateway has it. */
  skills: BundleSkills.optional(),
  tunnels: BundleTunnels.optional(),
  /** The whole payload of the session's Run, which the agent gets as a file. */
  payload: z.string().optional(),
  /** W3C `traceparent` of the Run, which hooks and agent get as `TRACEPARENT`. */
  traceparent: z.string().max(55).optional(),
  /** Whether the workspace is saved before the sandbox ends; left out where nothing is kept, as of a Run's session. */
  keepsWorkspace: z.literal(true).optional(),
  /** The attempt whose saved workspace is to be restored. */
  restores: z.int().min(1).optional(),
  /** The class's `workspaceSizeLimit` in bytes. */
  workspaceLimitBytes: z.int().min(0).optional(),
  /** A build of an image instead of a session: no prompt comes, and its agent is not started. */
  build: BundleBuild.optional(),
  /** The prebuilt image that is to be restored. */
  image: BundleImage.optional(),
  /** What was asked and answered in former sandboxes, fenced; for an `acp` agent that cannot load the conversation. */
  earlierTurns: z.string().optional(),
  /** Whether the workspace's volume was created from a snapshot, so that nothing is to be restored. */
  hasWorkspace: z.boolean().optional(),
});
export type Bundle = z.infer<typeof Bundle>;

/** A final boot failure, as the gateway writes it on the Lease. */
export const BootFailure = z.object({
  phase: z.enum(["clone", "setup", "start", "skills", "agent"]),
  reason: z.string().max(64),
  message: z.string().max(1024),
  /** Of a build: the commits of the branches, as far as they were found. */
  commits: RepositoryCommits.optional(),
});
export type BootFailure = z.infer<typeof BootFailure>;

/** Characters of one message of {@link PassedOver}. */
export const passedOverCharacters = 512;

/** Hooks that failed while boot went on, in order. Messages are untrusted, and bounded in UTF-16 units here. */
export const PassedOver = z
  .array(
    z.object({
      hook: z.enum(["setup", "start"]),
      message: z.string().max(2 * passedOverCharacters),
    }),
  )
  .max(20);
export type PassedOver = z.infer<typeof PassedOver>;

/** A phase of boot and since when it goes on, by the gateway's clock, as the gateway writes it on the Lease. */
export const BootPhaseNote = z.object({
  phase: z.enum(["restore", "clone", "setup", "start", "agent"]),
  /** Whose hook it is. */
  repository: z.string().max(63).optional(),
  /** Of a build: the commits of the branches, as far as they were found. */
  commits: RepositoryCommits.optional(),
  since: z.iso.datetime(),
});
export type BootPhaseNote = z.infer<typeof BootPhaseNote>;

/** SHA-256 of an archive. */
export const archiveDigestPattern = /^sha256:[0-9a-f]{64}$/;

/** How saving a workspace goes, as the gateway writes it on the Lease. */
export const SnapshotNote = z.object({
  /** Which try of the attempt it is about: `snapshotTry` of the status; the first one where it is left out. */
  try: z.int().min(1).optional(),
  bytes: z.int().min(0).optional(),
  /** Name of the archive; absent for a volume snapshot. */
  archive: z.string().min(1).max(63).optional(),
  /** Of the archive's bytes. */
  digest: z.string().regex(archiveDigestPattern).optional(),
  problem: z.string().max(1024).optional(),
  /** The gateway goes on with this try in spite of the problem. */
  goesOn: z.literal(true).optional(),
});
export type SnapshotNote = z.infer<typeof SnapshotNote>;

/** What the gateway found of the archive that an attempt was to begin with, as it writes it on the Lease. */
export const RestoreNote = z.object({
  /** The attempt, or with `image` the build, whose archive it is about. */
  of: z.int().min(1),
  /** It is a prebuilt image. */
  image: z.literal(true).optional(),
  /**
   * Left out where all of it was sent. `Missing`: not in the blob store; `Damaged`: not what was saved; `Refused`: the
   * runtime says that no save could have written it; `Unreachable`: an image that could not be sent for a while.
   */
  problem: z.enum(["Missing", "Damaged", "Refused", "Unreachable"]).optional(),
});
export type RestoreNote = z.infer<typeof RestoreNote>;
