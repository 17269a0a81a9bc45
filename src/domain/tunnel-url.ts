/** A port of a session's sandbox. */
export interface TunnelName {
  namespace: string;
  session: string;
  port: number;
}

/** Where the gateway's API for people has a port, without a slash at its end. */
export function tunnelPath({ namespace, session, port }: TunnelName): string {
  return `/sessions/${namespace}.${session}/tunnels/${port}`;
}

/** The address of a port for people and programs. */
export function tunnelUrl(peopleUrl: string, name: TunnelName): string {
  return `${peopleUrl}${tunnelPath(name)}/`;
}
