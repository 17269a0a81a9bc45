import type { Duplex } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Random } from "../../lib/random.ts";
import { markWhole, whole } from "../../lib/whole-stream.ts";
import type { AgentChannel } from "../local/agent-channel.ts";

/** Characters of what tar says that are kept. */
const mostSaid = 1_000;

export interface ArchiveDeps {
  agent: Pick<AgentChannel, "introduction" | "run">;
  /** The connection that the agent's container opens for a transfer. */
  transfer: (name: string) => Promise<Duplex>;
  random: Pick<Random, "uuid">;
}

/** Lets the agent's container send its workspace into the stream; the last word is said only when all of it was. */
export async function saveWorkspace(deps: ArchiveDeps, stream: Duplex): Promise<void> {
  const { socket, done } = await begin(deps, "save");
  socket.write("\n");
  await pipeline(markWhole(socket, done), stream);
}

/**
 * Gives the agent's container the workspace that comes by the stream; false where nothing came, whole.
 * @throws BrokenOffError, and when tar fails
 */
export async function restoreWorkspace(deps: ArchiveDeps, stream: AsyncIterable<Uint8Array>): Promise<boolean> {
  const content = whole(stream);
  const first = await content.next();
  if (first.done) return false;
  const { socket, done } = await begin(deps, "restore");
  socket.write(first.value);
  const sent = pipeline(content, socket);
  // Heard below, unless the command ends first: it may do so while nothing comes that would show it.
  sent.catch(() => undefined);
  await Promise.race([sent, done()]);
  await Promise.all([sent, done()]);
  return true;
}

async function begin(
  { agent, transfer, random }: ArchiveDeps,
  direction: "save" | "restore",
): Promise<{ socket: Duplex; done: () => Promise<void> }> {
  const name = random.uuid();
  const { program, workspace } = agent.introduction;
  const command = [...program, direction, name];
  let said = "";
  const running = agent.run({ command, cwd: workspace, env: {}, keepsChildren: false }, (_stream, text) => {
    said = (said + text).slice(-mostSaid);
  });
  const done = async (): Promise<void> => {
    const { code } = await running.ended;
    if (code !== 0) throw new Error(`the agent's container could not do it: ${said.trim()}`);
  };
  const socket = await Promise.race([transfer(name), done().then(() => never())]);
  return { socket, done };
}

function never(): never {
  throw new Error("the agent's container ended without a word");
}
