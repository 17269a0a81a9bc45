import { apiOperations } from "./generated/api-operations.ts";

const prefix = "/api";

const patterns = apiOperations.map(([method, path]) => ({
  method,
  // An id has dots and no slash.
  pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[a-z0-9.-]{1,127}")}$`),
}));

/** Whether a path is one of the REST API, below `/api`. */
export function isApiPath(pathname: string): boolean {
  return pathname === prefix || pathname.startsWith(`${prefix}/`);
}

/**
 * The gateway's path of a request below `/api`; undefined for what is no operation of the REST API. Tunnels are none: their
 * pages come from sandboxes and must not be shown under the page's own address.
 */
export function gatewayPath(
  method: string,
  { pathname, search }: Pick<URL, "pathname" | "search">,
): string | undefined {
  const path = pathname.slice(prefix.length);
  const wanted = method === "HEAD" ? "GET" : method;
  const isKnown = patterns.some((one) => one.method === wanted && one.pattern.test(path));
  return isKnown ? `${path}${search}` : undefined;
}
