import type { JSX } from "preact";
import type { Session } from "../api.ts";
import { Copy } from "../parts/copy.tsx";

/**
 * Ports of the sandbox. Their pages come from the sandbox, so they are never shown under this page's address: the command opens
 * an address of its own for each.
 */
export function TunnelList({ session, mayOpen }: { session: Session; mayOpen: boolean }): JSX.Element | null {
  const { id, namespace, tunnels } = session;
  if (tunnels.length === 0) return null;
  const name = id.slice(namespace.length + 1);
  return (
    <section class="card">
      <h2>Ports of the sandbox</h2>
      {tunnels.map(({ port }) => (
        <p key={port} class="copied">
          <strong>{port}</strong>
          {mayOpen ? (
            <>
              <code>{commandFor(namespace, name, port)}</code>
              <Copy text={commandFor(namespace, name, port)}>Copy command</Copy>
            </>
          ) : (
            <span class="faint">You may not open it.</span>
          )}
        </p>
      ))}
    </section>
  );
}

function commandFor(namespace: string, name: string, port: number): string {
  return `kubectl runwright session tunnel ${namespace}/${name} ${port}`;
}
