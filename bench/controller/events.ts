import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Journal } from "../../src/gateway/events/journal.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { openDirectoryStore } from "../../test/support/directory-store.ts";

/** What an event of a session costs the gateway that stores it in a directory, in its own CPU time. */
export interface EventCosts {
  /** Of one that is alone within its second. */
  cpuMsAlone: number;
  /** Of each that comes with 59 others within a second. */
  cpuMsInBatch: number;
  /** Of the blob store. */
  bytesEach: number;
}

const sessions = 200;
const batch = 60;
const textBytes = 200;

/** Has many sessions say one thing, and then many things at once. */
export async function measureEvents(): Promise<EventCosts> {
  const directory = await mkdtemp(join(tmpdir(), "runwright-bench-events-"));
  const ending = new AbortController();
  try {
    const store = await openDirectoryStore(directory);
    const journals = Array.from({ length: sessions }, (_, index) => {
      const attempt = {
        sessionUid: `session-${index}`,
        attempt: 1,
        namespace: "n",
        session: `s-${index}`,
        name: `a-${index}`,
      };
      const user = { attempt, storedTo: 0, stored: () => undefined, signal: ending.signal };
      const failed = (error: unknown): void => {
        throw error;
      };
      return new Journal({ store, clock: systemClock, writer: "bench" }, { ...user, failed });
    });
    const say = async (from: number, count: number): Promise<number> => {
      const before = process.cpuUsage();
      for (const journal of journals) for (let at = 0; at < count; at += 1) journal.add(from + at, said(from + at));
      await Promise.all(journals.map((journal) => journal.settle(from + count - 1)));
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1_000 / (sessions * count);
    };
    // The first one of a session also pays for looking what is stored of it.
    await say(1, 1);
    const cpuMsAlone = await say(2, 1);
    const cpuMsInBatch = await say(3, batch);
    return { cpuMsAlone, cpuMsInBatch, bytesEach: (await bytesIn(directory)) / (sessions * (batch + 2)) };
  } finally {
    ending.abort();
    await rm(directory, { recursive: true, force: true });
  }
}

function said(seq: number): { kind: "output"; source: "agent"; stream: "stdout"; text: string } {
  return { kind: "output", source: "agent", stream: "stdout", text: `${seq} `.padEnd(textBytes, "x") };
}

async function bytesIn(directory: string): Promise<number> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(files.map(async ({ parentPath, name }) => (await stat(join(parentPath, name))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}
