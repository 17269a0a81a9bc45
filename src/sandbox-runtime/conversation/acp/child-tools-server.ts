import type { McpServer } from "@agentclientprotocol/sdk";

import type { WorkContext } from "../../work-context.ts";

/** The MCP server with the tools for child sessions, which the agent starts in its own container. */
export function childToolsServer({ agent }: Pick<WorkContext, "agent">): McpServer {
  const [command = "", ...args] = agent.introduction.program;
  return { name: "runwright", command, args: [...args, "children"], env: [] };
}
