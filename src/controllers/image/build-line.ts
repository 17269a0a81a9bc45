import { parseKey } from "../../lib/resource.ts";
import { withShares } from "../sandbox/start/shares.ts";

/** Builds at once, in all namespaces together. */
export const mostBuilds = 4;

/** An image that is being built, or that waits for a place. */
export interface Build {
  /** `namespace/name`. */
  key: string;
  namespace: string;
  /** What it is of, such as `Repository/web`. */
  scope: string;
  /** The SandboxClass. */
  className: string;
}

export interface WaitingBuild extends Build {
  /** RFC 3339. */
  since: string;
}

/** The builds that go on, and the images that wait for a place. */
export interface BuildLine {
  going: readonly Build[];
  waiting: readonly WaitingBuild[];
}

/**
 * The images that there is a place for. A place goes to the namespace with the fewest builds, and there to the image that waits
 * longest. One whose scope is being built, or has another image that waits longer, keeps no place from others.
 */
export function nextBuilds({ going, waiting }: BuildLine): Build[] {
  const namespaces = going.map(({ namespace }) => namespace);
  const ranked = withShares(firstOfScopes({ going, waiting }), namespaces);
  const line = ranked.sort((left, right) => left.share - right.share).map(({ one }) => one);
  return line.slice(0, Math.max(0, mostBuilds - going.length));
}

/** What an image that is none of the next ones waits for. */
export function whatItAwaits(build: Build, { going, waiting }: BuildLine): string {
  const isSame = (one: Build): boolean => isOfScope(one, build) && one.key !== build.key;
  const built = going.find(isSame);
  if (built) return `PrebuiltImage ${nameOf(built)} of the same ${build.scope} is being built`;
  if (going.length >= mostBuilds) {
    return `${mostBuilds} images are being built, which is as many as may be at once: namespaces take turns, and this one begins when one of them has ended`;
  }
  const first = inOrder(waiting).find((one) => isOfScope(one, build));
  if (first && isSame(first)) {
    return `PrebuiltImage ${nameOf(first)} of the same ${build.scope} waits longer and is built first`;
  }
  return "other images are built first: namespaces take turns, and of one the image that waits longest is the next";
}

/** Of each scope that is not being built the image that waits longest. */
function firstOfScopes({ going, waiting }: BuildLine): WaitingBuild[] {
  const free = inOrder(waiting).filter((one) => !going.some((build) => isOfScope(build, one)));
  return free.filter((one, index) => free.findIndex((other) => isOfScope(other, one)) === index);
}

function inOrder(waiting: readonly WaitingBuild[]): WaitingBuild[] {
  return waiting.toSorted((left, right) => left.since.localeCompare(right.since));
}

function isOfScope(one: Build, other: Build): boolean {
  return one.namespace === other.namespace && one.scope === other.scope;
}

function nameOf({ key }: Build): string {
  return parseKey(key).name;
}
