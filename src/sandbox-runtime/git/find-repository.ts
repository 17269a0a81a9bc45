import type { BundleRepository } from "../../api/runtime/bundle.ts";
import { isSshUrl } from "../../api/v1alpha1/clone-url.ts";
import type { CredentialRequest } from "../local/messages.ts";

/**
 * The repository whose URL git asks a credential for, or whose URL lies above it, as with Git LFS. Repositories of one
 * server do not get each other's credentials.
 */
export function findRepository(
  repositories: readonly BundleRepository[],
  wanted: CredentialRequest,
): BundleRepository | undefined {
  const path = normalPath(wanted.path);
  return repositories.find(({ url }) => {
    if (isSshUrl(url)) return false;
    const { protocol, host, pathname } = new URL(url);
    const own = normalPath(pathname);
    const isHere = protocol === `${wanted.protocol}:` && host === wanted.host.toLowerCase().replace(/:443$/, "");
    return isHere && (path === own || path.startsWith(`${own}/`));
  });
}

/** Servers accept a repository's path with and without a final `.git`. */
function normalPath(path: string): string {
  const trimmed = path.replace(/^\/+|\/+$/g, "");
  return trimmed.replace(/\.git(?=\/|$)/, "");
}
