import type { BundleRepository } from "../../api/runtime/bundle.ts";
import type { CredentialAnswer, CredentialRequest } from "../local/messages.ts";

/**
 * The credential for the URL that git asks about: only the one of the repository whose URL it is (or lies below, as that
 * of large files does), so that one server's repositories do not get each other's.
 */
export function findCredential(repositories: readonly BundleRepository[], wanted: CredentialRequest): CredentialAnswer {
  const path = normalPath(wanted.path);
  const match = repositories.find(({ url }) => {
    const { protocol, host, pathname } = new URL(url);
    const own = normalPath(pathname);
    const isHere = protocol === `${wanted.protocol}:` && host === wanted.host.toLowerCase().replace(/:443$/, "");
    return isHere && (path === own || path.startsWith(`${own}/`));
  });
  return match?.credential ?? {};
}

/** Servers take a repository's path with and without `.git` at its end. */
function normalPath(path: string): string {
  const trimmed = path.replace(/^\/+|\/+$/g, "");
  return trimmed.replace(/\.git(?=\/|$)/, "");
}
