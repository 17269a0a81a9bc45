import { labels } from "../../api/v1alpha1/names.ts";
import type { KubeObject, Resource } from "../../lib/resource.ts";
import { basePolicyName, classPolicyName } from "../sandbox/network/network-policy.ts";

/** What is younger may be there for a session that no cache shows yet: 5 minutes. */
export const youngestLeftoverMs = 300_000;

/** An object of this release in a tenant namespace. */
export interface Kept {
  resource: Resource<KubeObject>;
  object: KubeObject;
}

/** An object that nothing seems to need, and whose class it was made for, where it is the class that is gone. */
export type Leftover = Kept & { goneClass?: string };

export interface Needed {
  /** Namespaces with a Session, whatever its state: it may go on at any time. */
  sessionNamespaces: ReadonlySet<string>;
  classNames: ReadonlySet<string>;
}

/** What may have to go: all of a namespace that has no Session left, and policies of classes that are gone. */
export function findLeftovers(kept: readonly Kept[], needed: Needed, now: Date): Leftover[] {
  return kept.filter((one) => isOurs(one) && isOld(one.object, now)).flatMap((one) => leftover(one, needed) ?? []);
}

function leftover(one: Kept, { sessionNamespaces, classNames }: Needed): Leftover | undefined {
  const { namespace = "" } = one.object.metadata;
  if (!sessionNamespaces.has(namespace)) return one;
  const className = classOf(one.object);
  return className === undefined || classNames.has(className) ? undefined : { ...one, goneClass: className };
}

function isOld({ metadata: { creationTimestamp, deletionTimestamp } }: KubeObject, now: Date): boolean {
  if (creationTimestamp === undefined || deletionTimestamp !== undefined) return false;
  return now.getTime() - Date.parse(creationTimestamp) >= youngestLeftoverMs;
}

/** Labels can be copied, so the name must be the one that we give; an account that people have added to is theirs. */
function isOurs({ resource, object }: Kept): boolean {
  const className = classOf(object);
  const name = className === undefined ? basePolicyName : classPolicyName(className);
  const isShared = resource.kind === "ServiceAccount" && hasGuests(object);
  return object.metadata.name === name && !isShared;
}

function hasGuests(object: KubeObject): boolean {
  return object.metadata.annotations !== undefined || "imagePullSecrets" in object;
}

function classOf({ metadata }: KubeObject): string | undefined {
  return metadata.labels?.[labels.sandboxClass];
}
