import { type Lease, secrets } from "../../src/kube/core-resources.ts";
import type { Change } from "../../src/kube/cache.ts";
import type { KubeClient } from "../../src/kube/client.ts";
import { KubeError } from "../../src/kube/errors.ts";
import type { ObjectKey } from "../../src/lib/resource.ts";
import { mergePatched } from "../support/merge-patched.ts";

/** A write of a Lease that an API server carried out. */
interface LeaseWrite {
  by: string;
  name: string;
  atMs: number;
}

/** The Leases of an API server, with versions and preconditions as it has them, and no network between. */
export class LeaseStore {
  readonly writes: LeaseWrite[] = [];
  readonly #leases = new Map<string, Lease>();
  readonly #watchers: ((change: Change<Lease>) => void)[] = [];
  readonly #nowMs: () => number;
  #version = 0;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  get(name: string): Lease | undefined {
    return this.#leases.get(name);
  }

  list(): readonly Lease[] {
    return [...this.#leases.values()];
  }

  watch(watcher: (change: Change<Lease>) => void): void {
    this.#watchers.push(watcher);
  }

  delete(name: string): void {
    const object = this.#leases.get(name);
    if (!object) return;
    this.#leases.delete(name);
    for (const watcher of this.#watchers) watcher({ type: "deleted", object, old: object });
  }

  /** A client of one process; `refuses` says which Leases it cannot reach now, `loses` of which creations the answer is lost. */
  client(by: string, refuses: (name: string) => boolean, loses: (name: string) => boolean = () => false): KubeClient {
    const answer = <T>({ name }: ObjectKey, work: () => T): Promise<T> =>
      new Promise((resolve) => {
        if (refuses(name)) throw failure(500, "InternalError");
        resolve(work());
      });
    const store = (name: string, lease: Lease): Lease => {
      const old = this.#leases.get(name);
      const object = { ...lease, metadata: { ...lease.metadata, resourceVersion: String((this.#version += 1)) } };
      this.#leases.set(name, object);
      this.writes.push({ by, name, atMs: this.#nowMs() });
      for (const watcher of this.#watchers) watcher(old ? { type: "updated", object, old } : { type: "added", object });
      return object;
    };
    const read = (key: ObjectKey): Lease => {
      const lease = this.get(key.name);
      if (!lease) throw failure(404, "NotFound");
      return lease;
    };
    const client = {
      find: (resource: { kind: string }, key: ObjectKey) =>
        answer(key, () =>
          resource.kind === secrets.kind ? { metadata: { name: key.name, uid: "secret" } } : this.get(key.name),
        ),
      get: (_resource: unknown, key: ObjectKey) => answer(key, () => read(key)),
      create: (_resource: unknown, lease: Lease) => {
        const { name = "" } = lease.metadata;
        return answer({ name }, () => {
          if (this.get(name)) throw failure(409, "AlreadyExists");
          const stored = store(name, lease);
          if (loses(name)) throw failure(504, "Timeout");
          return stored;
        });
      },
      patch: (_resource: unknown, key: ObjectKey, patch: { metadata?: { resourceVersion?: string } }) =>
        answer(key, () => {
          const old = read(key);
          const { resourceVersion = old.metadata.resourceVersion } = patch.metadata ?? {};
          if (resourceVersion !== old.metadata.resourceVersion) throw failure(409, "Conflict");
          return store(key.name, mergePatched(old, patch) as Lease);
        }),
    };
    return client as unknown as KubeClient;
  }
}

function failure(status: number, reason: string): KubeError {
  return new KubeError({ message: reason, status, reason, delivery: "received" });
}
