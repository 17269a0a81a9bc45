import type { KindInformers } from "../kind-informers.ts";
import type { NamespaceFacts } from "./facts.ts";

export function observeNamespace(
  informers: Pick<KindInformers, "sessions" | "prebuiltImages" | "sandboxPools" | "sandboxClasses">,
  namespace: string,
): NamespaceFacts {
  return {
    sessions: informers.sessions.list(namespace),
    images: informers.prebuiltImages.list(namespace),
    pools: informers.sandboxPools.list(namespace),
    classes: informers.sandboxClasses.list(),
  };
}
