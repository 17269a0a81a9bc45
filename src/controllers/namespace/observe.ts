import type { SandboxClass } from "../../api/v1alpha1/sandbox-class.ts";
import type { Session } from "../../api/v1alpha1/session.ts";
import type { NamespaceFacts } from "./facts.ts";

export interface NamespaceObserverDeps {
  sessions: { list(namespace: string): Session[] };
  sandboxClasses: { list(): SandboxClass[] };
}

export function observeNamespace(
  { sessions, sandboxClasses }: NamespaceObserverDeps,
  namespace: string,
): NamespaceFacts {
  return { namespace, sessions: sessions.list(namespace), classes: sandboxClasses.list() };
}
