import { annotations, archiveLeaseName } from "../api/v1alpha1/names.ts";
import type { Run } from "../api/v1alpha1/run.ts";
import { isStored, readMark, type StoredMark } from "../domain/archive/stored-mark.ts";
import { type Lease, leases } from "../kube/core-resources.ts";
import { Informer, type InformerDeps } from "../kube/informer.ts";
import { keyOf, keyText } from "../lib/resource.ts";
import { indexNames, type KindInformers, uidKeyOf } from "./kind-informers.ts";

/** Keeps history from being pruned before the archive has it. */
export class ArchiveGuard {
  readonly #informers: Pick<KindInformers, "sessions" | "prompts">;
  readonly #mark: () => StoredMark | undefined;

  constructor(informers: Pick<KindInformers, "sessions" | "prompts">, mark: () => StoredMark | undefined) {
    this.#informers = informers;
    this.#mark = mark;
  }

  /** Whether the archive has the Run and all that goes with it. */
  hasAll(run: Run): boolean {
    const mark = this.#mark();
    if (!isStored(mark, "runs", run)) return false;
    const { sessions, prompts } = this.#informers;
    return sessions.byIndex(indexNames.runUid, uidKeyOf(run)).every((session) => {
      const its = prompts.byIndex(indexNames.session, keyText(keyOf(session)));
      return isStored(mark, "sessions", session) && its.every((prompt) => isStored(mark, "prompts", prompt));
    });
  }
}

/** A cache of one object: the Lease of the archive's writer. */
export function archiveLeaseInformer(
  deps: InformerDeps,
  { name, namespace }: { name: string; namespace: string },
): Informer<Lease> {
  return new Informer(deps, leases, { namespace, fieldSelector: `metadata.name=${archiveLeaseName(name)}` });
}

/** The mark that the writer has published. */
export function storedMarkOn(lease: Pick<Informer<Lease>, "list">): StoredMark | undefined {
  return readMark(lease.list()[0]?.metadata.annotations?.[annotations.stored]);
}
