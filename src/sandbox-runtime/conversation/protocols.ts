import type { WorkContext } from "../work-context.ts";
import { AcpConversation } from "./acp/acp-conversation.ts";
import type { Conversation } from "./conversation.ts";
import { ExecConversation } from "./exec-conversation.ts";

const protocols = { exec: ExecConversation, acp: AcpConversation } as const;

export function conversationOf(context: WorkContext): Conversation {
  return new protocols[context.bundle.agent.protocol](context);
}
