import { z } from "zod";

/**
 * A credential that the gateway mints. The runtime sends {@link CredentialWanted} as the JSON body of
 * `POST <path of the attempt>/credentials`; the answer is a {@link MintedCredential}, or `{error, code}`.
 */

export const CredentialWanted = z.object({ repository: z.string().max(63) });
export type CredentialWanted = z.infer<typeof CredentialWanted>;

export const MintedCredential = z.object({
  username: z.string(),
  password: z.string(),
  /** Seconds from now for which it may be reused. */
  usableSeconds: z.int().min(0),
});
export type MintedCredential = z.infer<typeof MintedCredential>;

/** Bytes of the largest request. */
export const longestCredentialRequest = 1_024;

/** Below the path of the attempt. */
export const credentialsPath = "/credentials";
