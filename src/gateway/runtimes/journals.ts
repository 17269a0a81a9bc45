import type { BlobStore } from "../../blobs/blob-store.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Random } from "../../lib/random.ts";
import { Journal } from "../events/journal.ts";

/** Opens the journal of one connection. */
export interface JournalPort {
  open(user: ConstructorParameters<typeof Journal>[1]): Journal;
}

/** Journals in the blob store. */
export function storedJournals(deps: { store: BlobStore; clock: Clock; random: Pick<Random, "bytes"> }): JournalPort {
  return { open: (user) => new Journal({ ...deps, writer: deps.random.bytes(4).toString("hex") }, user) };
}
