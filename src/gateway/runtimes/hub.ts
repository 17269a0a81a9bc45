import type { AttemptId } from "../attempts/attempt.ts";
import type { WebSocket } from "ws";
import type { Session } from "../../api/v1alpha1/session.ts";
import type { ConnectedRuntime } from "./streams.ts";
import { attemptOf } from "../attempts/attempt.ts";
import { Connection } from "./connection.ts";
import type { ConnectionDeps } from "./connection-deps.ts";
import { ProgressOfAttempts } from "./progress.ts";

/** All connected runtimes of this replica, at most one connection an attempt. */
export class Hub {
  readonly #deps: ConnectionDeps;
  readonly #progress = new ProgressOfAttempts();
  /** By session UID: while one attempt is sent away the next one may be here already. */
  readonly #connections = new Map<string, Set<Connection>>();

  constructor(deps: ConnectionDeps) {
    this.#deps = deps;
  }

  get size(): number {
    let size = 0;
    for (const connections of this.#connections.values()) size += connections.size;
    return size;
  }

  /** Takes an admitted runtime in; an older connection of the same attempt is closed. */
  welcome(socket: WebSocket, admitted: { session: Session; attempt: number }): void {
    const attempt = attemptOf(admitted.session, admitted.attempt);
    const siblings = this.#connections.get(attempt.sessionUid) ?? new Set();
    for (const older of siblings) if (older.attempt.attempt === attempt.attempt) older.close("replaced");
    const progress = this.#progress.of(attempt, this.#deps.clock.monotonicMs());
    const connection = new Connection(socket, { attempt, progress }, this.#deps);
    siblings.add(connection);
    this.#connections.set(attempt.sessionUid, siblings);
    socket.once("close", () => this.#forget(connection));
  }

  /** The runtime of an attempt, where it is connected to this replica. */
  runtime({ sessionUid, attempt }: AttemptId): ConnectedRuntime | undefined {
    const found = [...(this.#connections.get(sessionUid) ?? [])].find(
      (connection) => connection.attempt.attempt === attempt && connection.isWelcome,
    );
    return found && { sessionUid, attempt, send: (message) => found.openStream(message) };
  }

  /** Lets the session's connections look at its status. */
  sessionChanged(uid: string): void {
    if (!this.#deps.session(uid)) this.#progress.forget(uid);
    for (const connection of this.#connections.get(uid) ?? []) connection.sessionChanged();
  }

  /** Sends all runtimes to other replicas. */
  close(): void {
    for (const connections of this.#connections.values()) {
      for (const connection of connections) connection.close("goingAway");
    }
  }

  #forget(connection: Connection): void {
    const { attempt } = connection;
    const siblings = this.#connections.get(attempt.sessionUid);
    siblings?.delete(connection);
    if (siblings?.size === 0) this.#connections.delete(attempt.sessionUid);
  }
}
