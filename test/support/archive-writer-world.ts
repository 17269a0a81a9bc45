import type { Prompt, PullRequest, Run, Session } from "../../src/api/v1alpha1/index.ts";
import type { ArchiveStore } from "../../src/gateway/archive/archive-store.ts";
import { ArchiveWriter, type ArchiveWriterDeps } from "../../src/gateway/archive/archive-writer.ts";
import { FakeCollection } from "../../src/kube/fake-collection.ts";
import type { KubeObject, Resource } from "../../src/lib/resource.ts";

const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

/** What the writer of an archive reads in the cluster. */
export class ArchivedCollections {
  readonly runs = new FakeCollection<Run>();
  readonly sessions = new FakeCollection<Session>();
  readonly prompts = new FakeCollection<Prompt>();
  readonly pullRequests = new FakeCollection<PullRequest>();

  /** Reads of them. */
  readonly client: ArchiveWriterDeps["client"] = {
    list: (resource, options) => this.#of(resource).list(resource, options),
    watch: (resource, options, sink) => this.#of(resource).watch(resource, options, sink),
  };

  /** A writer of a replica that leads. */
  writer(
    store: ArchiveStore,
    clock: ArchiveWriterDeps["clock"],
    more: Partial<Pick<ArchiveWriterDeps, "refused" | "bounds" | "trimmed">> = {},
  ): ArchiveWriter {
    return new ArchiveWriter({
      client: this.client,
      clock,
      random: { fraction: () => 0 },
      log: silent,
      store,
      namespaces: [],
      retentionDays: 90,
      ...more,
    });
  }

  #of<T extends KubeObject>({ kind }: Resource<T>): FakeCollection<T> {
    const { runs: Run, sessions: Session, prompts: Prompt, pullRequests: PullRequest } = this;
    return { Run, Session, Prompt, PullRequest }[kind] as unknown as FakeCollection<T>;
  }
}
