import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Clock } from "../../lib/clock.ts";
import { unlessStill } from "../../lib/unless-still.ts";
import { markWhole } from "../../lib/whole-stream.ts";
import type { Logger } from "../../telemetry/logger.ts";
import type { Attempt, AttemptId } from "../attempts/attempt.ts";
import type { AttemptOwner } from "../attempts/owner.ts";
import type { ConnectedRuntime, Streams } from "../runtimes/streams.ts";
import type { Archives } from "./archives.ts";

interface Deps {
  clock: Clock;
  logger: Logger;
  archives: Pick<Archives, "read">;
  streams: Pick<Streams, "open">;
  owner: (uid: string) => AttemptOwner | undefined;
  runtime: (target: AttemptId) => ConnectedRuntime | undefined;
}

/** Sends attempts the workspace that their owner saved last. */
export class Restores {
  readonly #deps: Deps;
  /** Names of attempts. */
  readonly #underWay = new Set<string>();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /**
   * Sends an attempt its owner's workspace, or an empty stream without one. One at a time for each attempt: a runtime
   * that asks meanwhile asks again if it fails.
   */
  begin(attempt: Attempt): void {
    if (this.#underWay.has(attempt.name)) return;
    this.#underWay.add(attempt.name);
    this.#restore(attempt)
      .catch((error: unknown) => {
        this.#deps.logger.warn({ err: error, session: attempt.session }, "Could not restore a workspace");
      })
      .finally(() => this.#underWay.delete(attempt.name));
  }

  async #restore(attempt: Attempt): Promise<void> {
    const { clock, streams, runtime } = this.#deps;
    const connected = runtime(attempt);
    if (!connected) return;
    const stream = await streams.open(connected, { workspace: "restore" });
    let content: Readable | undefined;
    try {
      content = await this.#saved(attempt);
      await pipeline(unlessStill(markWhole(content ?? nothing()), { stream, clock }), stream);
    } finally {
      content?.destroy();
      // Nothing reads from it, so that it would never end and keep its place.
      stream.destroy();
    }
  }

  async #saved({ sessionUid }: Attempt): Promise<Readable | undefined> {
    const owner = this.#deps.owner(sessionUid);
    const blob = owner && (await this.#deps.archives.read(owner));
    return blob?.content;
  }
}

async function* nothing(): AsyncGenerator<Uint8Array> {
  // A workspace that is not there.
}
