import type { PromptReference, TunnelUrl } from "../../api/runtime/messages.ts";
import type { Session } from "../../api/v1alpha1/session.ts";
import { isOver } from "../attempts/admission.ts";

/** What one connection has said and been told. */
export interface ConnectionFacts {
  attempt: number;
  /** UIDs of prompts that were sent on this connection or that the runtime says it has ended. */
  sent: ReadonlySet<string>;
  /** Prompts that the runtime has and has not ended, by UID. */
  open: ReadonlyMap<string, PromptReference>;
  /** Whether the runtime has been told the tunnels' URLs on this connection. */
  toldTunnels: boolean;
}

export interface ConnectionPlan {
  /** The attempt is over; nothing else is to be done. */
  shutdown?: string;
  /** To be read and sent. */
  prompt?: PromptReference;
  /** To be told. */
  tunnels?: readonly TunnelUrl[];
  /** Open prompts that are not the current one: to be cancelled if the Prompt itself says that it has ended. */
  doubtful: readonly PromptReference[];
}

/** What the session's status asks of one connection; a session that is gone ends it. */
export function planConnection(session: Session | undefined, facts: ConnectionFacts): ConnectionPlan {
  if (!session) return { shutdown: "SessionDeleted", doubtful: [] };
  if (isOver(session, facts.attempt)) {
    return { shutdown: session.status?.sandbox?.endReason ?? "AttemptOver", doubtful: [] };
  }
  const current = session.status?.currentPrompt;
  const told = untold(session, facts);
  const doubtful = [...facts.open.values()].filter((prompt) => prompt.uid !== current?.uid);
  if (!current || facts.sent.has(current.uid)) return { ...told, doubtful };
  return { ...told, prompt: { name: current.name, uid: current.uid }, doubtful };
}

function untold({ status }: Session, { toldTunnels }: ConnectionFacts): Pick<ConnectionPlan, "tunnels"> {
  const tunnels = status?.sandbox?.tunnels ?? [];
  return toldTunnels || tunnels.length === 0 ? {} : { tunnels };
}
