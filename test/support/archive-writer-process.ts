import { ArchiveStore } from "../../src/gateway/archive/archive-store.ts";
import type { ArchiveConfig } from "../../src/gateway/archive/archive-config.ts";
import { openArchive } from "../../src/gateway/archive/open-archive.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { ArchivedCollections } from "./archive-writer-world.ts";
import { aRun } from "./builders.ts";

// node archive-writer-process.ts CONFIG RUNS BATCH MOMENT: writes that many Runs. In this batch it kills itself: `begun`
// before it writes, `halfway` with the rows in a transaction, `written` when they are stored and the answer is not read.
// Batch 0 is none: it says `stored` in the end.
const [config = "", count = "", killedIn = "0", moment = ""] = process.argv.slice(2);
const database = await openArchive(JSON.parse(config) as ArchiveConfig, console);
if (!database) throw new Error("there is no archive");

let batches = 0;
function killIf(now: string): void {
  if (batches === Number(killedIn) && moment === now) process.kill(process.pid, "SIGKILL");
}

class MortalStore extends ArchiveStore {
  override async write(...args: Parameters<ArchiveStore["write"]>): Promise<void> {
    batches += 1;
    killIf("begun");
    await super.write(...args);
    killIf("written");
  }
}

let isInsert = false;
const mortal = database.withPlugin({
  transformQuery: ({ node }) => {
    isInsert = node.kind === "InsertQueryNode";
    return node;
  },
  transformResult: ({ result }) => {
    if (isInsert) killIf("halfway");
    return Promise.resolve(result);
  },
});

const cluster = new ArchivedCollections();
for (let made = 0; made < Number(count); made += 1) {
  cluster.runs.put(aRun({ metadata: { name: `r${made}`, uid: `r${made}`, namespace: "team" } }));
}
const writer = cluster.writer(new MortalStore(mortal, systemClock), systemClock);
const stop = new AbortController();
const look = setInterval(() => {
  if (writer.mark === undefined) return;
  clearInterval(look);
  stop.abort();
}, 10);
await writer.run(stop.signal);
await database.destroy();
console.log("stored");
