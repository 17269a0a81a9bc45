import { afterEach, beforeEach } from "vitest";

import { ArchiveStore } from "../../src/gateway/archive/archive-store.ts";
import type { Database } from "../../src/gateway/archive/open-archive.ts";
import { FakeClock } from "../../src/lib/fake-clock.ts";

/** An archive that is made anew for each test, and the term in which its one writer works. */
export interface EmptyArchive {
  db: Database;
  store: ArchiveStore;
  term: number;
}

/** Has each test begin with an empty archive, in which it is `nowMs`; what it gives is filled in then. */
export function eachWithEmptyArchive(open: () => Promise<Database>, nowMs: number): EmptyArchive {
  const archive = {} as EmptyArchive;
  beforeEach(async () => {
    const db = await open();
    const store = new ArchiveStore(db, new FakeClock(new Date(nowMs).toISOString()));
    Object.assign(archive, { db, store, term: await store.begin() });
  });
  afterEach(() => archive.db.destroy());
  return archive;
}
