import type { StoreSpace } from "../../blobs/blob-store.ts";
import { shownBytes } from "../../lib/shown-bytes.ts";
import { type EventBudgets, eventsShare } from "./event-usage.ts";
import type { BlobBound } from "../metrics/blob-bounds.ts";

/** What saved workspaces and images may have of the blob store, in bytes; undefined: as the store's size allows. */
export interface BlobBudgets {
  session?: number | undefined;
  namespace?: number | undefined;
  total?: number | undefined;
  /** What events may have. */
  events?: EventBudgets | undefined;
  /** Size of the volume where the store cannot tell it, as that of an emptyDir with a limit. */
  capacity?: number | undefined;
}

/** Bounds in bytes; Infinity where there is none. */
export interface BlobBounds {
  session: number;
  namespace: number;
  total: number;
}

/**
 * The bounds in force. Where nothing is set, all of a volume but a fifth may be used, a namespace may have half of that and a
 * session a quarter; a store without a size has no bounds.
 */
export function boundsOf(budgets: BlobBudgets, space: StoreSpace | undefined): BlobBounds {
  const bytes = storeBytes(budgets, space);
  const total = budgets.total ?? bytes * (1 - eventsShare);
  return { session: budgets.session ?? total / 4, namespace: budgets.namespace ?? total / 2, total };
}

/** Size of the store; Infinity without one. */
export function storeBytes({ capacity = Infinity }: BlobBudgets, space: StoreSpace | undefined): number {
  return Math.min(capacity, space?.bytes ?? Infinity);
}

/** What was to be stored finds no room; its message is for the tenant. */
export class NoRoomError extends Error {
  override readonly name = "NoRoomError";
  readonly bound: BlobBound;

  constructor(bound: BlobBound, message: string) {
    super(message);
    this.bound = bound;
  }
}

const more = "delete Sessions that are no longer needed, or ask the platform team for more";

/** Why a bound is reached, and what to do. */
export function noRoom(
  bound: BlobBound,
  { limit, used, namespace }: { limit: number; used: number; namespace: string },
): NoRoomError {
  const told = `${shownBytes(used)} of ${shownBytes(limit)}`;
  switch (bound) {
    case "class":
      return new NoRoomError(
        bound,
        `the archive is larger than the ${shownBytes(limit)} that the class's workspaceSizeLimit allows: delete files in the workspace, or ask the platform team for a class with more`,
      );
    case "session":
      return new NoRoomError(
        bound,
        `the session has used ${told} for its workspace and images: delete files in the workspace, or ask the platform team for more (gateway.blobStore.budgets.session)`,
      );
    case "namespace":
      return new NoRoomError(
        bound,
        `namespace ${namespace} has used ${told} for workspaces and images of sessions: ${more} (gateway.blobStore.budgets.namespace)`,
      );
    case "total":
      return new NoRoomError(
        bound,
        `the blob store's ${shownBytes(limit)} for workspaces and images are used: ${more} (gateway.blobStore.budgets.total)`,
      );
    case "volume":
      return new NoRoomError(
        bound,
        `the blob store's volume is full but for what is kept for events: ${more} (a larger volume)`,
      );
  }
}
