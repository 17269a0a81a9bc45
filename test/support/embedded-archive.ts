import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { type Database, openArchive } from "../../src/gateway/archive/open-archive.ts";

/** An embedded archive whose file is in a folder of its own. */
export interface EmbeddedArchive {
  database: Database;
  /** Closes the archive and removes its folder. */
  close(): Promise<void>;
}

export async function openEmbeddedArchive(): Promise<EmbeddedArchive> {
  const folder = await mkdtemp(join(tmpdir(), "runwright-archive-"));
  const database = await openArchive({ mode: "embedded", file: join(folder, "archive.db") }, console);
  if (!database) throw new Error("there is no archive");
  return {
    database,
    async close() {
      await database.destroy();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
