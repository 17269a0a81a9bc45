import { annotations, archiveLeaseName, type ReplicaNote } from "../../api/v1alpha1/names.ts";
import { isSetBack, readMark, type StoredMark } from "../../domain/archive/stored-mark.ts";
import type { KubeClient } from "../../kube/client.ts";
import type { Lease } from "../../kube/core-resources.ts";
import { LeaderElection } from "../../kube/leader-election.ts";
import { sleep } from "../../lib/sleep.ts";
import { type ArchiveSize, ArchiveWriter, type ArchiveWriterDeps } from "./archive-writer.ts";

export interface ArchiveKeeperDeps extends ArchiveWriterDeps {
  leaseClient: Pick<KubeClient, "find" | "create" | "replace">;
  release: { name: string; namespace: string };
  /** Of this process; never used twice. */
  identity: string;
}

/** Milliseconds between two terms of one replica. */
const pauseMs = 1_000;

/**
 * Has one replica write the archive. Up to where everything is stored, the mark, travels with the renewals of its Lease,
 * so it costs no write of its own.
 */
export class ArchiveKeeper {
  readonly #deps: ArchiveKeeperDeps;
  #writer: ArchiveWriter | undefined;

  constructor(deps: ArchiveKeeperDeps) {
    this.#deps = deps;
  }

  /** Milliseconds since everything was stored; undefined while another replica writes. */
  behindMs(): number | undefined {
    return this.#writer?.behindMs;
  }

  /** What the archive has and may have; undefined while another replica writes. */
  size(): ArchiveSize | undefined {
    return this.#writer?.size;
  }

  /** Runs until the signal ends it; never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const isOver = (): boolean => signal.aborted;
    while (!isOver()) {
      await this.#term(signal);
      await sleep(this.#deps.clock, pauseMs, signal);
    }
  }

  /** Waits for the leadership and writes until it is lost. */
  async #term(signal: AbortSignal): Promise<void> {
    const { release, identity, log } = this.#deps;
    const over = new AbortController();
    const ends = AbortSignal.any([signal, over.signal]);
    const writer = new ArchiveWriter(this.#deps);
    let shown: StoredMark | undefined;
    const election = new LeaderElection(
      { ...this.#deps, client: this.#deps.leaseClient },
      {
        namespace: release.namespace,
        name: archiveLeaseName(release.name),
        identity,
        annotations: (found): Partial<Record<ReplicaNote, string | undefined>> => {
          const before = markOf(found);
          // The API server was restored from a backup: versions of before the backup may come again for other changes.
          if (before && shown && isSetBack(before, shown)) over.abort();
          shown = before ?? shown;
          return { [annotations.stored]: over.signal.aborted ? undefined : textOf(writer.mark) };
        },
      },
    );
    try {
      if (!(await election.campaign(ends))) return;
      void election.lost.then(() => over.abort());
      this.#writer = writer;
      await writer.run(ends);
    } catch (error) {
      log.info({ err: error }, "Another replica writes the archive");
    } finally {
      this.#writer = undefined;
      await election.release();
    }
  }
}

function markOf(lease: Lease | undefined): StoredMark | undefined {
  return readMark(lease?.metadata.annotations?.[annotations.stored]);
}

function textOf(mark: StoredMark | undefined): string | undefined {
  return mark && JSON.stringify(mark);
}
