import { skillPieceBytes } from "../../../api/runtime/skill-set.ts";
import { digestOfSkillPiece, labels } from "../../../api/v1alpha1/names.ts";
import type { Session } from "../../../api/v1alpha1/session.ts";
import type { Secret } from "../../../kube/core-resources.ts";
import { shownBytes } from "../../../lib/shown-bytes.ts";

/** Bytes that stored sets of skills may have: those of the sessions of one namespace, and all. */
export interface SkillSetBudgets {
  namespace: number;
  total: number;
}

export type SkillSetBound = keyof SkillSetBudgets;

/** A set that is stored or is just being stored. */
export interface StoredSet {
  digest: string;
  bytes: number;
  /** Against whose budgets it counts: of the namespaces that have sessions with it, and of the one that stored it. */
  namespaces: ReadonlySet<string>;
}

/** A set that a session of a namespace is to have. */
export interface WantedSet {
  digest: string;
  bytes: number;
  namespace: string;
}

/** The stored sets by the caches. A set of an earlier release does not say its size and counts as its pieces may be. */
export function storedSets(
  secrets: readonly Pick<Secret, "metadata">[],
  sessions: readonly Pick<Session, "metadata" | "status">[],
): Map<string, StoredSet> {
  const sets = new Map<string, OpenSet>();
  for (const secret of secrets) addPiece(sets, secret);
  for (const { metadata, status } of sessions) {
    sets.get(status?.skills?.digest ?? "")?.namespaces.add(metadata.namespace ?? "");
  }
  return sets;
}

interface OpenSet extends StoredSet {
  namespaces: Set<string>;
}

function addPiece(
  sets: Map<string, OpenSet>,
  { metadata: { name = "", labels: own = {} } }: Pick<Secret, "metadata">,
): void {
  const digest = digestOfSkillPiece(name);
  if (digest === undefined) return;
  const { bytes, namespaces } = sets.get(digest) ?? { bytes: 0, namespaces: new Set() };
  const storedBy = own[labels.sessionNamespace];
  if (storedBy !== undefined) namespaces.add(storedBy);
  sets.set(digest, { digest, bytes: bytes + bytesIn(own[labels.skillsBytes]), namespaces });
}

function bytesIn(label: string | undefined): number {
  const bytes = Number(label);
  return Number.isSafeInteger(bytes) && bytes >= 0 ? bytes : skillPieceBytes;
}

/** The budget that a set would pass, and why in words; undefined: there is room, or it is there already. */
export function overBudget(
  stored: Iterable<StoredSet>,
  { digest, bytes, namespace }: WantedSet,
  budgets: SkillSetBudgets,
): { bound: SkillSetBound; message: string } | undefined {
  const sets = [...stored];
  const known = sets.find((set) => set.digest === digest);
  if (known?.namespaces.has(namespace)) return undefined;
  const inNamespace = sum(sets.filter((set) => set.namespaces.has(namespace)));
  const added = `the session's skills have ${shownBytes(bytes)}`;
  if (inNamespace + bytes > budgets.namespace) {
    const told = `${shownBytes(inNamespace)} of ${shownBytes(budgets.namespace)}`;
    return {
      bound: "namespace",
      message: `${added}, and namespace ${namespace} has used ${told} for sets of skills (controller.skillSetBudgets.namespace)`,
    };
  }
  const inAll = sum(sets);
  if (known || inAll + bytes <= budgets.total) return undefined;
  const told = `${shownBytes(inAll)} of ${shownBytes(budgets.total)}`;
  return {
    bound: "total",
    message: `${added}, and all namespaces have used ${told} for sets of skills (controller.skillSetBudgets.total)`,
  };
}

function sum(sets: readonly StoredSet[]): number {
  return sets.reduce((bytes, set) => bytes + set.bytes, 0);
}
