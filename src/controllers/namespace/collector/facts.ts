import { labels } from "../../../api/v1alpha1/names.ts";
import type { KubeObject, Resource } from "../../../lib/resource.ts";
import { basePolicyName, classPolicyName } from "../../sandbox/network/network-policy.ts";

/** A younger object may belong to a session that no cache shows yet: 5 minutes. */
const youngestLeftoverMs = 300_000;

/** An object of this release in a tenant namespace. */
export interface Kept {
  resource: Resource<KubeObject>;
  object: KubeObject;
}

/** An object that nothing needs by the caches; `goneClass` is set where its class no longer exists. */
export type Leftover = Kept & { goneClass?: string };

/** What the caches show to need objects. */
export interface Needed {
  /** Namespaces with a Session, PrebuiltImage or SandboxPool in any state: it may go on at any time. */
  ownerNamespaces: ReadonlySet<string>;
  classNames: ReadonlySet<string>;
}

/** Everything that the API server showed for one leftover. */
export interface LeftoverFacts {
  leftover: Leftover;
  /** A sandbox needs what it reaches the network by, even when its Session or class was deleted. */
  hasSandboxes: boolean;
  /** Whether the class exists, or else whether the namespace has an owner of sandboxes. */
  hasOwner: boolean;
}

/** By the caches: all objects of namespaces without an owner of sandboxes, and policies of classes that do not exist. */
export function findLeftovers(kept: readonly Kept[], needed: Needed, now: Date): Leftover[] {
  return kept.filter((one) => isOurs(one) && isOld(one.object, now)).flatMap((one) => leftover(one, needed) ?? []);
}

function leftover(one: Kept, { ownerNamespaces, classNames }: Needed): Leftover | undefined {
  const { namespace = "" } = one.object.metadata;
  if (!ownerNamespaces.has(namespace)) return one;
  const className = classOf(one.object);
  return className === undefined || classNames.has(className) ? undefined : { ...one, goneClass: className };
}

function isOld({ metadata: { creationTimestamp, deletionTimestamp } }: KubeObject, now: Date): boolean {
  if (creationTimestamp === undefined || deletionTimestamp !== undefined) return false;
  return now.getTime() - Date.parse(creationTimestamp) >= youngestLeftoverMs;
}

/** Labels can be copied, so the name must be ours, too; an account that people have changed belongs to them. */
function isOurs({ resource, object }: Kept): boolean {
  const className = classOf(object);
  const name = className === undefined ? basePolicyName : classPolicyName(className);
  const hasAdditions = object.metadata.annotations !== undefined || "imagePullSecrets" in object;
  const isChanged = resource.kind === "ServiceAccount" && hasAdditions;
  return object.metadata.name === name && !isChanged;
}

function classOf({ metadata }: KubeObject): string | undefined {
  return metadata.labels?.[labels.sandboxClass];
}
