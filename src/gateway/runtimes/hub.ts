import type { WebSocket } from "ws";
import type { AttemptOwner } from "../attempts/owner.ts";
import type { ConnectedRuntime } from "./streams.ts";
import { type AttemptId, attemptOf } from "../attempts/attempt.ts";
import { Connection } from "./connection.ts";
import type { ConnectionDeps } from "./connection-deps.ts";
import type { CloseCause } from "./link.ts";
import { ProgressOfAttempts } from "./progress.ts";

/** Connected runtimes of this replica, at most one connection per attempt. */
export class Hub {
  readonly #deps: ConnectionDeps;
  readonly #progress = new ProgressOfAttempts();
  /** By session UID; while one attempt shuts down the next one may be connected. */
  readonly #connections = new Map<string, Set<Connection>>();

  constructor(deps: ConnectionDeps) {
    this.#deps = deps;
  }

  get size(): number {
    let size = 0;
    for (const connections of this.#connections.values()) size += connections.size;
    return size;
  }

  /** Adds the connection of an admitted runtime, and closes an older one of the same attempt. */
  welcome(socket: WebSocket, admitted: { owner: AttemptOwner; attempt: number }): void {
    const attempt = attemptOf(admitted.owner, admitted.attempt);
    const siblings = this.#connections.get(attempt.sessionUid) ?? new Set();
    for (const older of siblings) if (older.attempt.attempt === attempt.attempt) older.close("replaced");
    const progress = this.#progress.of(attempt, this.#deps.clock.monotonicMs());
    const connection = new Connection(socket, { attempt, progress }, this.#deps);
    siblings.add(connection);
    this.#connections.set(attempt.sessionUid, siblings);
    socket.once("close", () => this.#forget(connection));
  }

  /** The runtime of an attempt, if it is connected to this replica. */
  runtime({ sessionUid, attempt }: AttemptId): ConnectedRuntime | undefined {
    const found = [...(this.#connections.get(sessionUid) ?? [])].find(
      (connection) => connection.attempt.attempt === attempt && connection.isWelcome,
    );
    return found && { sessionUid, attempt, send: (message) => found.openStream(message) };
  }

  /** Notifies the session's connections of a change. */
  sessionChanged(uid: string): void {
    if (!this.#deps.session(uid)) this.#progress.forget(uid);
    for (const connection of this.#connections.get(uid) ?? []) connection.sessionChanged();
  }

  /** Disconnects all runtimes, which reconnect to other replicas. */
  close(cause: CloseCause): void {
    for (const connections of this.#connections.values()) {
      for (const connection of connections) connection.close(cause);
    }
  }

  #forget(connection: Connection): void {
    const { attempt } = connection;
    const siblings = this.#connections.get(attempt.sessionUid);
    siblings?.delete(connection);
    if (siblings?.size === 0) this.#connections.delete(attempt.sessionUid);
  }
}
