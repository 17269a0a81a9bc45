import type { KindInformers } from "../kind-informers.ts";
import type { NamespaceFacts } from "./facts.ts";

export function observeNamespace(
  { sessions, sandboxClasses }: Pick<KindInformers, "sessions" | "sandboxClasses">,
  namespace: string,
): NamespaceFacts {
  return { sessions: sessions.list(namespace), classes: sandboxClasses.list() };
}
