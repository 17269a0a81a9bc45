import { labels, type Run, type Session } from "../../src/api/v1alpha1/index.ts";
import { isStarted } from "../../src/domain/runs/run-state.ts";
import { runRow } from "../../src/gateway/archive/rows.ts";
import type { Cluster } from "./cluster.ts";
import type { People } from "./people.ts";

/** What must be so of a release with an archive: nothing is pruned that it does not have. */
export class ArchiveInvariants {
  readonly #cluster: Cluster;
  readonly #people: People;

  constructor(cluster: Cluster, people: People) {
    this.#cluster = cluster;
    this.#people = people;
  }

  /** Of a Run that was deleted or emptied, its end is in the archive. @throws Error */
  runChanged(before: Run, after: Run | undefined): void {
    const { archive } = this.#cluster;
    const { name = "", uid = "" } = before.metadata;
    const isEmptied = before.spec.trigger.payload !== undefined && after?.spec.trigger.payload === undefined;
    if (!archive || (after && !isEmptied) || this.#people.deletedRuns.has(uid)) return;
    const row = archive.run(uid);
    if (row?.ended_ms === runRow(before).ended_ms || this.#hasCopy(uid)) return;
    throw new Error(`Run ${name} was ${after ? "emptied" : "deleted"} before the archive had its end`);
  }

  /** A Run that was skipped and has a key goes once another stands for it, of which the same is asked. */
  #hasCopy(uid: string): boolean {
    return this.#cluster.store.changes.some(({ plural, after }) => {
      return plural === "runs" && after !== undefined && runRow(after as Run).copy_of === uid;
    });
  }

  /** Of a session that went with its Run, there is a row; of a Run that is skipped after all, its session never worked. @throws Error */
  sessionDeleted({ metadata }: Session): void {
    const { archive, store } = this.#cluster;
    const run = metadata.labels?.[labels.runUid];
    if (!archive || run === undefined || this.#people.deletedRuns.has(run)) return;
    const owner = (store.list("runs") as Run[]).find(({ metadata: { uid } }) => uid === run);
    if (owner && !isStarted(owner)) return;
    if (!archive.session(metadata.uid ?? ""))
      throw new Error(`session ${metadata.name ?? ""} is gone and not archived`);
  }
}
