import { PrebuiltImage } from "../../../api/v1alpha1/prebuilt-image.ts";
import { Session } from "../../../api/v1alpha1/session.ts";
import { ownerKeysOf } from "../../../domain/attempts/owner-labels.ts";
import type { Pod } from "../../../kube/core-resources.ts";
import { keyOf, keyText } from "../../../lib/resource.ts";
import type { KindInformers } from "../../kind-informers.ts";
import { imageAsOwner } from "../images/owner.ts";
import { byClassIndex, type SandboxInformers } from "../informers.ts";
import { type AttemptOwner, sessionAsOwner } from "../owner.ts";
import { takesPlace } from "./own-pods.ts";

type Informers = Pick<SandboxInformers, "pods"> & Pick<KindInformers, "sessions" | "prebuiltImages">;

/** `namespace/name` of the pods that take a place in a class: sandboxes of sessions and of builds. */
export function podKeysOfClass(informers: Informers, className: string): Set<string> {
  const pods = informers.pods.byIndex(byClassIndex, className);
  return new Set(pods.filter((pod) => takesPlace(ownerOf(informers, pod), pod)).map((pod) => keyText(keyOf(pod))));
}

function ownerOf({ sessions, prebuiltImages }: Informers, pod: Pod): AttemptOwner | undefined {
  const [session] = ownerKeysOf(Session.kind, pod).flatMap((key) => sessions.get(key) ?? []);
  if (session) return sessionAsOwner(session);
  const [image] = ownerKeysOf(PrebuiltImage.kind, pod).flatMap((key) => prebuiltImages.get(key) ?? []);
  return image && imageAsOwner(image);
}
