import type { Duplex } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Random } from "../../lib/random.ts";
import { markWhole, whole } from "../../lib/whole-stream.ts";
import type { AgentChannel } from "../local/agent-channel.ts";
import { ArchiveRefusedError, refusedExitCode } from "./archive-guard.ts";

/** UTF-16 units that are kept of tar's output. */
const keptUnits = 1_000;

export interface ArchiveDeps {
  agent: Pick<AgentChannel, "introduction" | "run">;
  /** Resolves with the connection that the agent's container opens for the transfer of this name. */
  transfer: (name: string) => Promise<Duplex>;
  random: Pick<Random, "uuid">;
}

/**
 * Sends the agent's workspace into the stream, and the final marker only after all of it. Resolves with what tar said,
 * such as the names of files that it could not read; empty for nothing.
 */
export async function saveWorkspace(deps: ArchiveDeps, stream: Duplex): Promise<string> {
  const { socket, done } = await begin(deps, "save");
  socket.write("\n");
  await pipeline(
    markWhole(socket, () => done().then(() => undefined)),
    stream,
  );
  return done();
}

/**
 * Unpacks the workspace from the stream in the agent's container; false for an empty, complete stream. Its files may have
 * `mostBytes`. @throws BrokenOffError, ArchiveRefusedError, and when tar fails
 */
export async function restoreWorkspace(
  deps: ArchiveDeps,
  stream: AsyncIterable<Uint8Array>,
  mostBytes = Infinity,
): Promise<boolean> {
  const content = whole(stream);
  const first = await content.next();
  if (first.done) return false;
  const { socket, done } = await begin(deps, "restore", String(mostBytes));
  let broken: unknown;
  const all = async function* (): AsyncGenerator<Uint8Array> {
    yield first.value;
    try {
      yield* content;
    } catch (error) {
      broken = error;
      throw error;
    }
  };
  const ended = done();
  // A socket between the containers takes pieces of any length.
  const sent = pipeline(markWhole(all(), undefined, Infinity), socket);
  // Handled below; the race is needed as the command may end while the stream is still.
  for (const handled of [sent, ended]) handled.catch(() => undefined);
  try {
    await Promise.race([sent, ended]);
    await Promise.all([sent, ended]);
  } catch (error) {
    socket.destroy();
    // The command leaves nothing of what did not come whole. Where it fails by itself the connection breaks first, which says less.
    const failure: unknown = await ended.catch((problem: unknown) => problem);
    if (failure instanceof ArchiveRefusedError) throw failure;
    throw broken ?? (failure instanceof Error ? failure : error);
  }
  return true;
}

async function begin(
  { agent, transfer, random }: ArchiveDeps,
  direction: "save" | "restore",
  ...more: string[]
): Promise<{ socket: Duplex; done: () => Promise<string> }> {
  const name = random.uuid();
  const { program, workspace } = agent.introduction;
  const command = [...program, direction, name, ...more];
  let output = "";
  const running = agent.run({ command, cwd: workspace, env: {}, keepsChildren: false }, (_stream, text) => {
    output = (output + text).slice(-keptUnits);
  });
  const done = async (): Promise<string> => {
    const { code } = await running.ended;
    if (code === refusedExitCode) throw new ArchiveRefusedError(output.trim());
    if (code !== 0) throw new Error(`the agent's container could not do it: ${output.trim()}`);
    return output.trim();
  };
  const socket = await Promise.race([transfer(name), done().then(() => never())]);
  return { socket, done };
}

function never(): never {
  throw new Error("the agent's container ended without a connection");
}
