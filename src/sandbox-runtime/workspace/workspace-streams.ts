import type { Duplex } from "node:stream";
import type { Bundle } from "../../api/runtime/bundle.ts";
import type { SandboxEvent } from "../../api/runtime/messages.ts";
import { plainText } from "../../api/runtime/text.ts";
import type { Random } from "../../lib/random.ts";
import { unlessStill } from "../../lib/unless-still.ts";
import type { SocketServer } from "../local/socket-server.ts";
import type { RefusedKind } from "../../api/runtime/refused-from-agent.ts";
import { errorCode } from "../log.ts";
import { dialStream, joinPort, type StreamDeps, type StreamOrder } from "../tunnels/dial-stream.ts";
import { ArchiveRefusedError } from "./archive-guard.ts";
import { type ArchiveDeps, restoreWorkspace, saveWorkspace } from "./transfer-workspace.ts";

/** How long the gateway may take to order the stream, in milliseconds. */
const openMs = 15_000;

interface Deps extends StreamDeps {
  random: Pick<Random, "uuid">;
  sockets: Pick<SocketServer, "agent" | "transfer">;
  bundle: () => Bundle | undefined;
  publish: (event: SandboxEvent) => void;
  /** Ends the running prompts, so that the agent changes no file while the workspace is saved. */
  stopPrompts: () => Promise<void>;
  refused: (kind: RefusedKind) => void;
}

/** Workspace and home may each have as much as the class allows, and file systems may store files in less than their size. */
const volumes = 3;

/** `missing`: the gateway has no saved workspace to send. `refused`: no save of ours has written it. */
export type RestoreOutcome = "restored" | "missing" | { failed: string } | { refused: string };

/** Opens the streams that the gateway orders, and joins each with a port or with the workspace. */
export class WorkspaceStreams {
  readonly #deps: Deps;
  #resolveRestore: ((outcome: RestoreOutcome) => void) | undefined;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  open(order: StreamOrder): void {
    const { use } = order;
    // Only the session's own tunnel ports: no other port of the pod may be reached.
    if ("port" in use) {
      if (this.#deps.bundle()?.tunnels?.ports.includes(use.port)) void joinPort(this.#deps, order, use.port);
    } else if (use.workspace === "save") void this.#save(order);
    else void this.#restoreFrom(order);
  }

  /** Restores the saved workspace; `ask` has the gateway order the stream. */
  restore(ask: () => void): Promise<RestoreOutcome> {
    const { promise, resolve } = Promise.withResolvers<RestoreOutcome>();
    this.#resolveRestore = resolve;
    // The request may be lost with the connection.
    this.#deps.clock.setTimeout(() => {
      if (this.#resolveRestore === resolve) resolve({ failed: "the gateway did not answer" });
    }, openMs);
    ask();
    return promise;
  }

  async #save(order: StreamOrder): Promise<void> {
    const { log, publish, stopPrompts } = this.#deps;
    // Prompts that come later are not to be stopped: the gateway breaks the saving off for them.
    const stopped = stopPrompts();
    try {
      const stream = await dialStream(this.#deps, order);
      await stopped;
      const said = await saveWorkspace(await this.#archiveDeps(), stream);
      log.info("Saved the workspace");
      if (said !== "")
        publish({ kind: "warning", scope: "save", message: `not all was saved as it is: ${plainText(said, 1_000)}` });
    } catch (error) {
      log.warn("Could not save the workspace", { code: errorCode(error) });
      if (!(error instanceof ArchiveRefusedError)) return;
      this.#deps.refused("archive");
      publish({ kind: "warning", scope: "save", message: `it cannot be saved: ${plainText(error.message, 1_000)}` });
    }
  }

  async #archiveDeps(): Promise<ArchiveDeps> {
    const { random, sockets } = this.#deps;
    return { agent: await sockets.agent, transfer: (name) => sockets.transfer(name), random };
  }

  async #restoreFrom(order: StreamOrder): Promise<void> {
    const { bundle, clock, log, refused } = this.#deps;
    const resolve = this.#resolveRestore;
    if (!resolve) return;
    this.#resolveRestore = undefined;
    let stream: Duplex | undefined;
    try {
      stream = await dialStream(this.#deps, order);
      const mostBytes = volumes * (bundle()?.workspaceLimitBytes ?? Infinity);
      const content = unlessStill(stream, { stream, clock });
      const isThere = await restoreWorkspace(await this.#archiveDeps(), content, mostBytes);
      log.info("Restored the workspace", { isThere });
      resolve(isThere ? "restored" : "missing");
    } catch (error) {
      stream?.destroy();
      log.warn("Could not restore the workspace", { code: errorCode(error) });
      if (error instanceof ArchiveRefusedError) {
        refused("archive");
        resolve({ refused: plainText(error.message, 1_000) });
      } else resolve({ failed: error instanceof Error ? error.message : "for no known reason" });
    }
  }
}
