import { Session } from "../../api/v1alpha1/session.ts";
import { keepOwnMetadata } from "../../domain/own-metadata.ts";
import { parentReference } from "../../domain/children/parent.ts";
import { Informer, type InformerDeps } from "../../kube/informer.ts";

/** All sessions in this replica's cache. */
export interface SessionView {
  byUid(uid: string): Session | undefined;
  /** Of one namespace, or all. */
  list(namespace: string | undefined): readonly Session[];
  byName(key: { namespace: string; name: string }): Session | undefined;
  /** Of its own namespace: a reference from another one is no child's. */
  childrenOf(parent: Session): readonly Session[];
  /** The session whose status names this pod as its sandbox. */
  bySandboxPod(podUid: string): Session | undefined;
  /** Whether a pod is the sandbox in a session's status. */
  isSandboxPod(podUid: string): boolean;
  /** Calls `handler` with the UID of each session that is created, changed or deleted. */
  onChange(handler: (uid: string) => void): void;
  readonly hasSynced: boolean;
  stop(): Promise<void>;
}

/** Follows the sessions of all namespaces, or of some. */
export function followSessions(deps: InformerDeps, namespaces: readonly string[] | undefined): SessionView {
  const informer = new Informer<Session>(deps, Session, {
    namespaces,
    transform: keepOwnMetadata,
    indexes: {
      parentUid: (session) => {
        const parent = parentReference(session);
        return parent ? [parent.uid] : [];
      },
      uid: ({ metadata }) => (metadata.uid ? [metadata.uid] : []),
      podUid: ({ status }) => (status?.sandbox?.podUID ? [status.sandbox.podUID] : []),
    },
  });
  informer.start();
  return {
    list: (namespace) => informer.list(namespace),
    byUid: (uid) => informer.byIndex("uid", uid)[0],
    byName: (key) => informer.get(key),
    childrenOf: ({ metadata: { namespace, uid = "" } }) =>
      informer.byIndex("parentUid", uid).filter(({ metadata }) => metadata.namespace === namespace),
    bySandboxPod: (podUid) => informer.byIndex("podUid", podUid)[0],
    isSandboxPod: (podUid) => informer.byIndex("podUid", podUid).length > 0,
    onChange: (handler) => void informer.onChange(({ object }) => handler(object.metadata.uid ?? "")),
    get hasSynced() {
      return informer.hasSynced;
    },
    stop: () => informer.stop(),
  };
}
