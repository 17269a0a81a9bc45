import type { BundleRepository } from "../../api/runtime/bundle.ts";
import { isSshUrl } from "../../api/v1alpha1/clone-url.ts";
import type { CredentialRequest } from "../local/messages.ts";

/**
 * Whose credential git asks for: that of the repository whose URL it is (or lies below, as that of large files does), so
 * that one server's repositories do not get each other's.
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

/** Servers take a repository's path with and without `.git` at its end. */
function normalPath(path: string): string {
  const trimmed = path.replace(/^\/+|\/+$/g, "");
  return trimmed.replace(/\.git(?=\/|$)/, "");
}
