import { z } from "zod";

/** Version of images that this runtime makes and begins sessions with. */
export const imageVersion = 1;

/** Versions of images, as they are judged. */
export interface ImageVersions {
  /** Sessions do not begin with older ones. */
  compatible: number;
  /** Older ones are built anew; sessions begin with them meanwhile. */
  rebuild: number;
}

export const imageVersions: ImageVersions = { compatible: imageVersion, rebuild: imageVersion };

/** The commit of one Repository. */
export const RepositoryCommit = z.object({
  repository: z.string().min(1).max(63),
  commit: z.string().regex(/^[0-9a-f]{40}([0-9a-f]{24})?$/),
});
export type RepositoryCommit = z.infer<typeof RepositoryCommit>;

export const RepositoryCommits = z.array(RepositoryCommit).max(10);

/** What a build's bundle says beside that of a session. The runtime clones, runs setup.sh and waits to be saved. */
export const BundleBuild = z.object({
  /** From the start of the runtime's container, for clone and setup.sh together. */
  timeoutSeconds: z.int().min(1).max(3_600),
  /** Nothing is built where the branches still have these commits. */
  unless: RepositoryCommits.optional(),
});
export type BundleBuild = z.infer<typeof BundleBuild>;

/** The image that a session's bundle has its first sandbox begin with. */
export const BundleImage = z.object({ build: z.int().min(1), commits: RepositoryCommits });
export type BundleImage = z.infer<typeof BundleImage>;

/** Names of files are shown to people. */
export const mostSecretFiles = 10;

/** How a build went, as the runtime reports it and the gateway writes it on the Lease. */
export const BuildNote = z.object({
  result: z.enum(["Unchanged", "Built"]),
  commits: RepositoryCommits.default([]),
  runtimeVersion: z.int().min(1).max(1_000_000),
  /** As Kubernetes names it, such as `amd64`. */
  architecture: z.string().max(63),
  /** Files that contain values of secrets; the first {@link mostSecretFiles}. */
  secretFiles: z.array(z.string().max(300)).max(mostSecretFiles).default([]),
  /** How many such files there are. */
  secretFileCount: z.int().min(0).default(0),
});
export type BuildNote = z.infer<typeof BuildNote>;
