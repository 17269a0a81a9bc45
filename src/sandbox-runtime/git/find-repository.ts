import type { BundleRepository } from "../../api/runtime/bundle.ts";
import { clonePlace, hostForm, pathForm } from "../../api/v1alpha1/clone-url.ts";
import type { CredentialRequest } from "../local/messages.ts";

/**
 * The repository whose URL git asks a credential for, or whose URL lies above it, as with Git LFS. Repositories of one
 * server do not get each other's credentials. Code hosts take paths in any case, so that one of another case is found where none
 * is of this.
 */
export function findRepository(
  repositories: readonly BundleRepository[],
  wanted: CredentialRequest,
): BundleRepository | undefined {
  if (wanted.protocol !== "https") return undefined;
  const { host } = hostForm("https", wanted.host);
  // git has replaced the escapes already.
  const path = pathForm(wanted.path);
  const places = repositories.map((repository) => ({ repository, own: clonePlace(repository.url) }));
  const ofServer = places.filter(({ own }) => own.protocol === "https" && own.host === host);
  const found =
    ofServer.find(({ own }) => isAtOrBelow(path, own.path)) ??
    ofServer.find(({ own }) => isAtOrBelow(path.toLowerCase(), own.path.toLowerCase()));
  return found?.repository;
}

/** Servers accept a repository's path with and without a final `.git`. */
function isAtOrBelow(path: string, own: string): boolean {
  return path.startsWith(own) && /^(?:\.git)?(?:\/|$)/.test(path.slice(own.length));
}
