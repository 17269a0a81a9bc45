import { PrebuiltImage } from "../../../api/v1alpha1/prebuilt-image.ts";
import { SandboxPool } from "../../../api/v1alpha1/sandbox-pool.ts";
import { Session } from "../../../api/v1alpha1/session.ts";
import { ownerKeysOf } from "../../../domain/attempts/owner-labels.ts";
import type { Pod } from "../../../kube/core-resources.ts";
import { keyOf, keyText } from "../../../lib/resource.ts";
import type { KindInformers } from "../../kind-informers.ts";
import { imageAsOwner } from "../images/owner.ts";
import { byClassIndex, type SandboxInformers } from "../informers.ts";
import { type AttemptOwner, sessionAsOwner } from "../owner.ts";
import { poolAsOwner } from "../pool/owner.ts";
import { isSandboxOf, takesPlace } from "./own-pods.ts";

type Informers = Pick<SandboxInformers, "pods"> &
  Pick<KindInformers, "sessions" | "prebuiltImages"> &
  Partial<Pick<KindInformers, "sandboxPools">>;

/** `namespace/name` of the pods that take a place in a class: sandboxes of sessions, of builds and of pools. */
export function podKeysOfClass(informers: Informers, className: string): Set<string> {
  const pods = informers.pods.byIndex(byClassIndex, className);
  const counted = pods.filter((pod) => takesPlace(ownerOf(informers, pod), pod) || isWarm(informers, pod));
  return new Set([...counted.map((pod) => keyText(keyOf(pod))), ...comingKeys(informers, className)]);
}

/** Pods of pools that are being created. */
function comingKeys({ pods, sandboxPools }: Informers, className: string): string[] {
  const pools = sandboxPools?.list().filter(({ spec }) => spec.sandboxClassName === className) ?? [];
  return pools.flatMap(({ metadata: { namespace }, status }) =>
    (status?.members ?? [])
      .filter(({ podUID, podName }) => podUID === undefined && !pods.get({ namespace, name: podName }))
      .map(({ podName }) => keyText({ namespace, name: podName })),
  );
}

function isWarm({ sandboxPools }: Informers, pod: Pod): boolean {
  const [pool] = ownerKeysOf(SandboxPool.kind, pod).flatMap((key) => sandboxPools?.get(key) ?? []);
  return pool !== undefined && pod.metadata.deletionTimestamp === undefined && isSandboxOf(poolAsOwner(pool), pod);
}

function ownerOf({ sessions, prebuiltImages }: Informers, pod: Pod): AttemptOwner | undefined {
  const [session] = ownerKeysOf(Session.kind, pod).flatMap((key) => sessions.get(key) ?? []);
  if (session) return sessionAsOwner(session);
  const [image] = ownerKeysOf(PrebuiltImage.kind, pod).flatMap((key) => prebuiltImages.get(key) ?? []);
  return image && imageAsOwner(image);
}
