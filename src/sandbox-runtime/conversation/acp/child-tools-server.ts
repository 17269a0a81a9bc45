import type { McpServer } from "@agentclientprotocol/sdk";

import { childToolsCommand, type WorkContext } from "../../steps/work-context.ts";

/** The server of the tools for child sessions, as an agent is told to start it. */
export function childToolsServer(context: Pick<WorkContext, "agent">): McpServer {
  const [command = "", ...args] = childToolsCommand(context);
  return { name: "runwright", command, args, env: [] };
}
