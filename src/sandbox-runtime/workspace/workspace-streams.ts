import type { Duplex } from "node:stream";
import type { Bundle } from "../../api/runtime/bundle.ts";
import type { Random } from "../../lib/random.ts";
import { unlessStill } from "../../lib/unless-still.ts";
import type { SocketServer } from "../local/socket-server.ts";
import { errorCode } from "../log.ts";
import { dialStream, joinPort, type StreamDeps, type StreamOrder } from "../tunnels/dial-stream.ts";
import { type ArchiveDeps, restoreWorkspace, saveWorkspace } from "./move-workspace.ts";

/** How long the gateway may take to open the stream that was asked for, in milliseconds. */
const openMs = 15_000;

interface Deps extends StreamDeps {
  random: Pick<Random, "uuid">;
  sockets: Pick<SocketServer, "agent" | "transfer">;
  bundle: () => Bundle | undefined;
  /** Ends what the agent is doing, so that the workspace holds still. */
  stopPrompts: () => Promise<void>;
}

/** What became of bringing a workspace back; `missing`: there is nothing to bring. */
export type Restored = "restored" | "missing" | { failed: string };

/** Does what the gateway wants of a stream. */
export class WorkspaceStreams {
  readonly #deps: Deps;
  #restored: ((outcome: Restored) => void) | undefined;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  open(order: StreamOrder): void {
    const { use } = order;
    // Only the session's own tunnel ports: nothing else that listens in the pod is anybody's.
    if ("port" in use) {
      if (this.#deps.bundle()?.tunnels?.ports.includes(use.port)) void joinPort(this.#deps, order, use.port);
    } else if (use.workspace === "save") void this.#save(order);
    else void this.#restore(order);
  }

  /** Brings the workspace back; `ask` has the gateway open the stream. */
  restored(ask: () => void): Promise<Restored> {
    const { promise, resolve } = Promise.withResolvers<Restored>();
    this.#restored = resolve;
    // The gateway, or the question, may be lost.
    this.#deps.clock.setTimeout(() => {
      if (this.#restored === resolve) resolve({ failed: "the gateway did not answer" });
    }, openMs);
    ask();
    return promise;
  }

  async #save(order: StreamOrder): Promise<void> {
    const { log, stopPrompts } = this.#deps;
    try {
      const stream = await dialStream(this.#deps, order);
      await stopPrompts();
      await saveWorkspace(await this.#archiveDeps(), stream);
      log.info("Saved the workspace");
    } catch (error) {
      log.warn("Could not save the workspace", { code: errorCode(error) });
    }
  }

  async #archiveDeps(): Promise<ArchiveDeps> {
    const { random, sockets } = this.#deps;
    return { agent: await sockets.agent, transfer: (name) => sockets.transfer(name), random };
  }

  async #restore(order: StreamOrder): Promise<void> {
    const { clock, log } = this.#deps;
    const resolve = this.#restored;
    if (!resolve) return;
    this.#restored = undefined;
    let stream: Duplex | undefined;
    try {
      stream = await dialStream(this.#deps, order);
      const isThere = await restoreWorkspace(await this.#archiveDeps(), unlessStill(stream, { stream, clock }));
      log.info("Restored the workspace", { isThere });
      resolve(isThere ? "restored" : "missing");
    } catch (error) {
      stream?.destroy();
      log.warn("Could not restore the workspace", { code: errorCode(error) });
      resolve({ failed: error instanceof Error ? error.message : "for no known reason" });
    }
  }
}
