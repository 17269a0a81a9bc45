import type { SandboxClass } from "../../api/v1alpha1/sandbox-class.ts";
import type { TenantNamespaces } from "../sandbox/tenant/tenant-namespaces.ts";

/** Something that a namespace must have; it is written where it is missing or differs. */
export type NamespaceEffect =
  | { kind: "ensurePolicies"; sandboxClass: SandboxClass }
  | { kind: "ensureAccount"; defaultClass: SandboxClass | undefined };

export async function performEffect(
  namespaces: Pick<TenantNamespaces, "ensurePolicies" | "ensureAccount">,
  namespace: string,
  effect: NamespaceEffect,
): Promise<void> {
  switch (effect.kind) {
    case "ensurePolicies":
      return namespaces.ensurePolicies(namespace, effect.sandboxClass);
    case "ensureAccount":
      return namespaces.ensureAccount(namespace, effect.defaultClass);
  }
}
