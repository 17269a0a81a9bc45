import { once } from "node:events";
import type { Readable, Writable } from "node:stream";

import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";

import { ChildAnswer } from "../../api/runtime/children.ts";
import type { Random } from "../../lib/random.ts";
import { askRuntime } from "../local/ask-runtime.ts";
import { childTools } from "./tools.ts";

const otherwise = { status: 503, body: { error: "the sandbox's runtime is not there", code: "Unavailable" } };

/** Serves the tools for child sessions over the Model Context Protocol until the input ends. */
export async function serveChildTools(
  streams: { input: Readable; output: Writable },
  { socketDirectory, random }: { socketDirectory: string; random: Pick<Random, "uuid"> },
): Promise<void> {
  const server = new McpServer({ name: "runwright", version: "1" });
  for (const [name, { description, input, request }] of Object.entries(childTools)) {
    server.registerTool(name, { description, inputSchema: input.shape }, async (given) => {
      const asked = { type: "child", request: request(given, random.uuid()) } as const;
      const { status, body } = await askRuntime(socketDirectory, asked, {
        schema: ChildAnswer,
        otherwise,
        answerMs: 0,
      });
      return { content: [{ type: "text", text: JSON.stringify(body) }], isError: status >= 400 };
    });
  }
  const ended = once(streams.input, "end");
  await server.connect(new StdioServerTransport(streams.input, streams.output));
  await ended;
  await server.close();
}
