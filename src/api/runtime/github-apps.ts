import { z } from "zod";

/**
 * What the gateway mints a repository's credentials from. The controller puts it under a data key of its own into the
 * attempt's bundle Secret; the gateway reads it and never sends it to anybody.
 */
export const GitHubAppAccess = z.object({
  /** Name of the Repository object, by which the runtime asks. */
  name: z.string(),
  /** Such as `https://api.github.com`. */
  apiURL: z.string(),
  owner: z.string(),
  repository: z.string(),
  appID: z.int(),
  /** Looked up by the repository when absent. */
  installationID: z.int().optional(),
  /** What tokens are good for, and nothing beyond it. */
  permissions: z.record(z.string(), z.enum(["read", "write"])),
  /** PKCS #8, PEM. */
  privateKey: z.string(),
  /** PEM certificates that are trusted for {@link apiURL} besides the usual ones. */
  caCertificates: z.string().optional(),
});
export type GitHubAppAccess = z.infer<typeof GitHubAppAccess>;

export const GitHubApps = z.object({ version: z.literal(1), repositories: z.array(GitHubAppAccess) });
export type GitHubApps = z.infer<typeof GitHubApps>;
