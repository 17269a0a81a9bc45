import { tunnelPath } from "../../domain/tunnel-url.ts";

/** The path of a tunnel: a port of a session, and the path for the server behind it. */
export interface TunnelPath {
  namespace: string;
  session: string;
  port: number;
  /** The part of the path before {@link rest}, without a trailing slash. */
  prefix: string;
  /** Path and query for the server behind the port. */
  rest: string;
}

/** Undefined for other paths. */
export function parseTunnelPath(url: string): TunnelPath | undefined {
  const match = /^\/sessions\/([a-z0-9-]{1,63})\.([a-z0-9-]{1,63})\/tunnels\/([1-9][0-9]{0,4})([/?].*)?$/.exec(url);
  const [, namespace, session, digits, rest = ""] = match ?? [];
  const port = Number(digits);
  if (namespace === undefined || session === undefined || !(port <= 65_535)) return undefined;
  const prefix = tunnelPath({ namespace, session, port });
  return { namespace, session, port, prefix, rest: rest.startsWith("/") ? rest : `/${rest}` };
}
