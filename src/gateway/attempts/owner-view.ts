import { PrebuiltImage } from "../../api/v1alpha1/prebuilt-image.ts";
import { keepOwnMetadata } from "../../domain/own-metadata.ts";
import { Informer, type InformerDeps } from "../../kube/informer.ts";
import type { AttemptOwner } from "./owner.ts";
import type { SessionView } from "./session-view.ts";

/** All owners of sandbox attempts in this replica's cache: Sessions and PrebuiltImages. */
export interface OwnerView {
  byUid(uid: string): AttemptOwner | undefined;
  images(): readonly PrebuiltImage[];
  /** Whether a pod is the sandbox of a build, in the image's status. */
  isBuildPod(podUid: string): boolean;
  imageByName(key: { namespace: string; name: string }): PrebuiltImage | undefined;
  /** Calls `handler` with the UID of each owner that is created, changed or deleted. */
  onChange(handler: (uid: string) => void): void;
  readonly hasSynced: boolean;
  stop(): Promise<void>;
}

/** Follows PrebuiltImages; the sessions are stopped by themselves. */
export function followOwners(
  deps: InformerDeps,
  sessions: Pick<SessionView, "byUid" | "onChange" | "hasSynced">,
  namespaces: readonly string[] | undefined,
): OwnerView {
  const images = new Informer<PrebuiltImage>(deps, PrebuiltImage, {
    namespaces,
    transform: keepOwnMetadata,
    indexes: {
      uid: ({ metadata }) => (metadata.uid ? [metadata.uid] : []),
      podUid: ({ status }) => (status?.sandbox?.podUID ? [status.sandbox.podUID] : []),
    },
  });
  images.start();
  return {
    byUid: (uid) => sessions.byUid(uid) ?? images.byIndex("uid", uid)[0],
    images: () => images.list(),
    isBuildPod: (podUid) => images.byIndex("podUid", podUid).length > 0,
    imageByName: (key) => images.get(key),
    onChange(handler) {
      sessions.onChange(handler);
      images.onChange(({ object }) => handler(object.metadata.uid ?? ""));
    },
    get hasSynced() {
      return sessions.hasSynced && images.hasSynced;
    },
    stop: () => images.stop(),
  };
}
