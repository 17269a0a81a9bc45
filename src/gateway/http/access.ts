import type { NamespacedName } from "../../lib/namespaced-name.ts";
import type { WantedAccess } from "./callers.ts";

/** What RBAC must allow the caller of an operation to do, and to what of the request. */
export interface NeededAccess {
  verb: string;
  resource: string;
  subresource?: string;
  /**
   * `object`: the one whose id the path has. `namespace`: all of that object's namespace. `prompt`: the one that the path names.
   * `query`: all of the namespace that the query names, or of all namespaces.
   */
  to: "object" | "namespace" | "prompt" | "query";
}

/** What a request names. */
export interface NamedByRequest {
  named: NamespacedName;
  prompt: string;
  query: { namespace?: string | undefined };
}

/** The access that a request needs, in terms of RBAC. */
export function wantedAccess({ to, ...access }: NeededAccess, request: NamedByRequest): WantedAccess {
  const { named, prompt, query } = request;
  const { namespace } = named;
  const scopes = {
    object: named,
    namespace: { namespace },
    prompt: { namespace, name: prompt },
    query: { namespace: query.namespace },
  } satisfies Record<NeededAccess["to"], Pick<WantedAccess, "namespace" | "name">>;
  return { ...access, ...scopes[to] };
}
