import { z } from "zod";

/**
 * The data from which the gateway mints a repository's credentials. The controller stores it under a separate data key of
 * the attempt's bundle Secret, and the gateway never sends it to a runtime.
 */
export const GitHubAppAccess = z.object({
  /** Name of the Repository object, as in the runtime's request. */
  name: z.string(),
  /** Such as `https://api.github.com`. */
  apiURL: z.string(),
  owner: z.string(),
  repository: z.string(),
  appID: z.int(),
  /** Looked up by the repository when absent. */
  installationID: z.int().optional(),
  /** Permissions of the tokens. */
  permissions: z.record(z.string(), z.enum(["read", "write"])),
  /** PKCS #8, PEM. */
  privateKey: z.string(),
  /** PEM certificates that are trusted for {@link apiURL} in addition to the usual ones. */
  caCertificates: z.string().optional(),
});
export type GitHubAppAccess = z.infer<typeof GitHubAppAccess>;

export const GitHubApps = z.object({ version: z.literal(1), repositories: z.array(GitHubAppAccess) });
export type GitHubApps = z.infer<typeof GitHubApps>;
