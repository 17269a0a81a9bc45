import { createHash } from "node:crypto";
import type { BundleRepository } from "../../../api/runtime/bundle.ts";

/** What of a repository decides what a clone of it holds. */
export type ClonedRepository = Pick<BundleRepository, "name" | "url" | "branch" | "commit" | "clone">;

/**
 * SHA-256 of what an image is cloned from: the object that it is of, and its repositories in order. URLs count without
 * case, since code hosts serve them so, branches as written.
 */
export function imageFingerprint(scopeUid: string, repositories: readonly ClonedRepository[]): string {
  const parts = repositories.map(({ name, url, branch, commit = "", clone = {} }) => {
    const { depth = 0, filter = "", submodules = "None", lfs = "" } = clone;
    return [name, url.toLowerCase(), branch, commit, depth, filter, submodules, lfs];
  });
  return `sha256:${createHash("sha256")
    .update(JSON.stringify([scopeUid, ...parts]))
    .digest("hex")}`;
}
