import type { PromptReference, TunnelUrl } from "../../api/runtime/messages.ts";
import type { AttemptOwner } from "../attempts/owner.ts";
import { isOver } from "../attempts/admission.ts";

/** What was sent and received on one connection. */
export interface ConnectionFacts {
  attempt: number;
  /** UIDs of prompts that were sent on this connection or that the runtime has finished. */
  sent: ReadonlySet<string>;
  /** Prompts that the runtime has and has not finished, by UID. */
  open: ReadonlyMap<string, PromptReference>;
  /** Whether the tunnels' URLs were sent on this connection. */
  sentTunnels: boolean;
  /** Whether the runtime has heard that the workspace is being saved. */
  isSaving: boolean;
}

export interface ConnectionPlan {
  /** Reason for a shutdown, since the attempt has ended; then nothing else is to be done. */
  shutdown?: string;
  /** Prompt to read and send. */
  prompt?: PromptReference;
  /** Tunnels to send. */
  tunnels?: readonly TunnelUrl[];
  /** Whether the workspace is being saved, where the runtime does not know yet. */
  saving?: boolean;
  /** Open prompts other than the current one: to be cancelled if the Prompt has ended. */
  doubtful: readonly PromptReference[];
}

/** What to send on one connection by the session's status; a deleted session shuts the runtime down. */
export function planConnection(session: AttemptOwner | undefined, facts: ConnectionFacts): ConnectionPlan {
  if (!session) return { shutdown: "SessionDeleted", doubtful: [] };
  if (isOver(session, facts.attempt)) {
    return { shutdown: session.status?.sandbox?.endReason ?? "AttemptOver", doubtful: [] };
  }
  const current = session.status?.currentPrompt;
  const news = { ...unsentTunnels(session, facts), ...unsentSaving(session, facts) };
  const doubtful = [...facts.open.values()].filter((prompt) => prompt.uid !== current?.uid);
  if (!current || facts.sent.has(current.uid)) return { ...news, doubtful };
  return { ...news, prompt: { name: current.name, uid: current.uid }, doubtful };
}

function unsentTunnels({ status }: AttemptOwner, { sentTunnels }: ConnectionFacts): Pick<ConnectionPlan, "tunnels"> {
  const tunnels = status?.sandbox?.tunnels ?? [];
  return sentTunnels || tunnels.length === 0 ? {} : { tunnels };
}

function unsentSaving({ status }: AttemptOwner, { isSaving }: ConnectionFacts): Pick<ConnectionPlan, "saving"> {
  const saving = status?.sandbox?.snapshotTime !== undefined;
  return saving === isSaving ? {} : { saving };
}
