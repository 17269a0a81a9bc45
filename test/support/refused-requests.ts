import type { FaultProxy, SeenRequest } from "./fault-proxy.ts";

/**
 * Requests that the API server itself refused: by rights (403), by an admission policy or by a schema (403, 422). A process with
 * the rights and policies of an installation that meets one cannot do its work there.
 */
export function refusedRequests({ seen }: Pick<FaultProxy, "seen">): string[] {
  return seen.filter(isRefused).map(({ method, path, status }) => `${method} ${path}: ${status}`);
}

function isRefused({ isFaulty, status }: SeenRequest): boolean {
  return !isFaulty && (status === 403 || status === 422);
}
