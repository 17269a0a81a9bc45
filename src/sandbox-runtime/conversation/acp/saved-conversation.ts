import { join } from "node:path";
import { z } from "zod";
import type { WorkContext } from "../../work-context.ts";
import { NewSession } from "./messages.ts";

/**
 * Which conversation the agent's files in its home are of. It is kept beside them, so that it is saved and restored with
 * them; the agent may write anything there.
 */
const SavedConversation = NewSession.extend({
  /** What the agent's own count of its cost had come to. */
  costUsd: z.number().min(0),
});
export type SavedConversation = z.infer<typeof SavedConversation>;

/** Bytes that are read. */
const mostBytes = 16_384;

/** The conversation of the restored home; undefined where there is none. */
export async function readConversation(context: WorkContext): Promise<SavedConversation | undefined> {
  const { agent, environment } = context;
  let text = "";
  const command = ["head", "-c", String(mostBytes), fileOf(context)];
  const cat = { command, cwd: agent.introduction.home, env: { ...environment }, keepsChildren: false };
  await agent.run(cat, (stream, piece) => {
    if (stream === "stdout") text += piece;
  }).ended;
  try {
    return SavedConversation.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

export function writeConversation(context: WorkContext, conversation: SavedConversation): void {
  context.agent.write(fileOf(context), JSON.stringify(conversation));
}

function fileOf({ agent }: WorkContext): string {
  return join(agent.introduction.home, ".runwright", "conversation.json");
}
