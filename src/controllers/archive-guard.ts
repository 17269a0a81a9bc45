import { annotations, archiveLeaseName } from "../api/v1alpha1/names.ts";
import { PullRequest } from "../api/v1alpha1/pull-request.ts";
import type { Run } from "../api/v1alpha1/run.ts";
import { isStored, readMark, type StoredMark } from "../domain/archive/stored-mark.ts";
import { keepOwnMetadata } from "../domain/own-metadata.ts";
import { type Lease, leases } from "../kube/core-resources.ts";
import { Informer, type InformerDeps } from "../kube/informer.ts";
import { keyOf, keyText } from "../lib/resource.ts";
import { indexNames, type KindInformers } from "./kind-informers.ts";
import { familyOf } from "./run-family.ts";

type GuardedInformers = Pick<KindInformers, "sessions" | "prompts"> & { pullRequests: Informer<PullRequest> };

/** Keeps history from being pruned before the archive has it. */
export class ArchiveGuard {
  readonly #informers: GuardedInformers;
  readonly #mark: () => StoredMark | undefined;

  constructor(informers: GuardedInformers, mark: () => StoredMark | undefined) {
    this.#informers = informers;
    this.#mark = mark;
  }

  /** Whether the archive has the Run and all that goes with it. */
  hasAll(run: Run): boolean {
    const mark = this.#mark();
    if (!isStored(mark, "runs", run)) return false;
    const { prompts, pullRequests } = this.#informers;
    return familyOf(this.#informers, run).every((session) => {
      const key = keyText(keyOf(session));
      return (
        isStored(mark, "sessions", session) &&
        prompts.byIndex(indexNames.session, key).every((prompt) => isStored(mark, "prompts", prompt)) &&
        pullRequests.byIndex(indexNames.session, key).every((its) => isStored(mark, "pullRequests", its))
      );
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

/** A cache of pull requests, of which controllers ask only whether the archive has them. */
export function archivedPullRequests(
  deps: InformerDeps,
  selection: { namespace?: string; namespaces?: readonly string[] | undefined },
): Informer<PullRequest> {
  return new Informer<PullRequest>(deps, PullRequest, {
    ...selection,
    transform: withoutStatus,
    indexes: {
      [indexNames.session]: ({ metadata, spec }) => [keyText({ ...keyOf({ metadata }), name: spec.sessionRef.name })],
    },
  });
}

function withoutStatus(pullRequest: PullRequest): PullRequest {
  pullRequest.spec.body = "";
  delete pullRequest.status;
  return keepOwnMetadata(pullRequest);
}

/** The mark that the writer has published. */
export function storedMarkOn(lease: Pick<Informer<Lease>, "list">): StoredMark | undefined {
  return readMark(lease.list()[0]?.metadata.annotations?.[annotations.stored]);
}
