import { SandboxPool } from "../../api/v1alpha1/sandbox-pool.ts";
import { keepOwnMetadata } from "../../domain/own-metadata.ts";
import { Informer, type InformerDeps } from "../../kube/informer.ts";

/** Pods of pools in this replica's cache. */
export interface PoolView {
  /** Namespace of the pool whose status names a pod of this UID. */
  namespaceOfPod(podUid: string): string | undefined;
  readonly hasSynced: boolean;
  stop(): Promise<void>;
}

/** Follows the pools of all namespaces, or of some. */
export function followPools(deps: InformerDeps, namespaces: readonly string[] | undefined): PoolView {
  const informer = new Informer<SandboxPool>(deps, SandboxPool, {
    namespaces,
    transform: keepOwnMetadata,
    indexes: { podUid: ({ status }) => (status?.members ?? []).flatMap(({ podUID }) => podUID ?? []) },
  });
  informer.start();
  return {
    namespaceOfPod: (podUid) => informer.byIndex("podUid", podUid)[0]?.metadata.namespace,
    get hasSynced() {
      return informer.hasSynced;
    },
    stop: () => informer.stop(),
  };
}
