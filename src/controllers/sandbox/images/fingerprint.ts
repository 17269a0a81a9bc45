import { createHash } from "node:crypto";
import type { BundleRepository } from "../../../api/runtime/bundle.ts";
import { clonePlace } from "../../../api/v1alpha1/clone-url.ts";

/** What of a repository decides what a clone of it holds. */
export type ClonedRepository = Pick<BundleRepository, "name" | "url" | "branch" | "commit" | "clone">;

/** What an image is cloned from. */
export interface Fingerprint {
  /** SHA-256 of it. */
  fingerprint: string;
  /** As earlier versions made it, which wrote URLs as they stand. */
  formerFingerprint?: string | undefined;
}

/**
 * The fingerprint of the object that an image is of, and its repositories in order. URLs count by where they lead, and without
 * case, since code hosts serve them so; branches as written.
 */
export function imageFingerprint(scopeUid: string, repositories: readonly ClonedRepository[]): Fingerprint {
  const of = (urlForm: (url: string) => string): string => hashOf(scopeUid, repositories, urlForm);
  return { fingerprint: of(placeText), formerFingerprint: of((url) => url) };
}

/** Whether a stored fingerprint is of this, whatever version stored it. */
export function isFingerprintOf(stored: string, { fingerprint, formerFingerprint }: Fingerprint): boolean {
  return stored === fingerprint || stored === formerFingerprint;
}

function placeText(url: string): string {
  const { protocol, host, path } = clonePlace(url);
  return `${protocol}://${host}/${path}`;
}

function hashOf(scopeUid: string, repositories: readonly ClonedRepository[], urlForm: (url: string) => string): string {
  const parts = repositories.map(({ name, url, branch, commit = "", clone = {} }) => {
    const { depth = 0, filter = "", submodules = "None", lfs = "" } = clone;
    return [name, urlForm(url).toLowerCase(), branch, commit, depth, filter, submodules, lfs];
  });
  return `sha256:${createHash("sha256")
    .update(JSON.stringify([scopeUid, ...parts]))
    .digest("hex")}`;
}
