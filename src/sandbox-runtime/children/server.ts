import { once } from "node:events";
import type { Readable, Writable } from "node:stream";

import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";

import type { ChildAnswer, ChildRequest } from "../../api/runtime/children.ts";
import type { Random } from "../../lib/random.ts";
import { childTools } from "./tools.ts";

/** Serves the tools for child sessions over the Model Context Protocol until the input ends. */
export async function serveChildTools(
  streams: { input: Readable; output: Writable },
  { ask, random }: { ask: (request: ChildRequest) => Promise<ChildAnswer>; random: Pick<Random, "uuid"> },
): Promise<void> {
  const server = new McpServer({ name: "runwright", version: "1" });
  for (const [name, { description, input, request }] of Object.entries(childTools)) {
    server.registerTool(name, { description, inputSchema: input.shape }, async (given) => {
      const { status, body } = await ask(request(given, random.uuid()));
      return { content: [{ type: "text", text: JSON.stringify(body) }], isError: status >= 400 };
    });
  }
  const ended = once(streams.input, "end");
  await server.connect(new StdioServerTransport(streams.input, streams.output));
  await ended;
  await server.close();
}
