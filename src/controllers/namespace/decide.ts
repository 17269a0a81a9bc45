import { sandboxAccountName } from "../../api/v1alpha1/names.ts";
import type { PrebuiltImage } from "../../api/v1alpha1/prebuilt-image.ts";
import type { SandboxPool } from "../../api/v1alpha1/sandbox-pool.ts";
import type { Session } from "../../api/v1alpha1/session.ts";
import { defaultClassOf } from "../sandbox/default-class.ts";
import type { NamespaceEffect } from "./effects.ts";
import type { NamespaceFacts } from "./facts.ts";

/** Decides which policies and accounts the sandboxes of a tenant namespace need: of live sessions, of builds and of pools. */
export function decideNamespace({ sessions, images, pools, classes }: NamespaceFacts): readonly NamespaceEffect[] {
  const live = [...sessions.filter(isLive), ...images.filter(isBuilding), ...pools.filter(isKept)];
  const defaultClass = defaultClassOf(classes);
  const used = new Set(live.map(({ spec }) => spec.sandboxClassName ?? defaultClass?.metadata.name));
  const needsAccount = live.some(({ spec }) => spec.serviceAccountName === sandboxAccountName);
  return [
    ...classes
      .filter(({ metadata }) => used.has(metadata.name))
      .map((sandboxClass) => ({ kind: "ensurePolicies" as const, sandboxClass })),
    ...(needsAccount ? [{ kind: "ensureAccount" as const, defaultClass }] : []),
  ];
}

/** Whether the session has a sandbox or may get one soon. */
function isLive({ metadata, status }: Session): boolean {
  if (metadata.deletionTimestamp !== undefined) return false;
  return status?.sandbox?.endTime === undefined || status.queue !== undefined;
}

function isBuilding({ metadata, status }: PrebuiltImage): boolean {
  return (
    metadata.deletionTimestamp === undefined && status?.sandbox !== undefined && status.sandbox.endTime === undefined
  );
}

function isKept({ metadata, spec, status }: SandboxPool): boolean {
  return metadata.deletionTimestamp === undefined && (spec.replicas > 0 || (status?.members ?? []).length > 0);
}
