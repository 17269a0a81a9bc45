import { once } from "node:events";
import type { Readable, Writable } from "node:stream";

import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";

import { ChildAnswer } from "../../api/runtime/children.ts";
import type { Random } from "../../lib/random.ts";
import { askRuntime } from "../local/ask-runtime.ts";
import { OfferedTools, type OpeningMessage } from "../local/messages.ts";
import { attachFile } from "./attach-file.ts";
import { attachFileTool } from "./attach-file-tool.ts";
import { childTools } from "./child-tools.ts";
import { pullRequestTools } from "./pull-request-tool.ts";

const otherwise = { status: 503, body: { error: "the sandbox's runtime is not there", code: "Unavailable" } };

interface Deps {
  socketDirectory: string;
  workspace: string;
  random: Pick<Random, "uuid">;
}

/** Serves the runtime's tools for agents over the Model Context Protocol until the input ends. */
export async function serveTools(
  streams: { input: Readable; output: Writable },
  { socketDirectory, workspace, random }: Deps,
): Promise<void> {
  const server = new McpServer({ name: "runwright", version: "1" });
  const ask = (request: OpeningMessage): Promise<ChildAnswer> =>
    askRuntime(socketDirectory, request, { schema: ChildAnswer, otherwise, answerMs: 0 });
  for (const [name, { description, input, request }] of Object.entries({ ...childTools, ...pullRequestTools })) {
    server.registerTool(name, { description, inputSchema: input.shape }, async (given) =>
      shown(await ask(request(given, random.uuid()))),
    );
  }
  const offered = OfferedTools.safeParse((await ask({ type: "tools" })).body);
  if (offered.data?.media) {
    const { name, description, input } = attachFileTool;
    server.registerTool(name, { description, inputSchema: input.shape }, async ({ path }) =>
      shown(await attachFile({ socketDirectory, workspace }, path)),
    );
  }
  const ended = once(streams.input, "end");
  await server.connect(new StdioServerTransport(streams.input, streams.output));
  await ended;
  await server.close();
}

function shown({ status, body }: ChildAnswer): CallToolResult {
  return { content: [{ type: "text", text: JSON.stringify(body) }], isError: status >= 400 };
}
