import type { McpServer } from "@agentclientprotocol/sdk";

import type { WorkContext } from "../../work-context.ts";

/** The MCP server with the runtime's tools, which the agent starts in its own container. */
export function toolsServer({ agent }: Pick<WorkContext, "agent">): McpServer {
  const [command = "", ...args] = agent.introduction.program;
  return { name: "runwright", command, args: [...args, "children"], env: [] };
}
