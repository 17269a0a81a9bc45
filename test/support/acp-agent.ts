import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";

import { agent, methods, ndJsonStream, type RequestPermissionResponse } from "@agentclientprotocol/sdk";

/**
 * A coding agent that speaks the Agent Client Protocol and has no model: it runs each prompt as a shell script, after it
 * has asked whether it may, and says what came of it, and of images what they are. `crash` as a prompt ends it, `go on`
 * goes on until it is cancelled, `speak late` says its last words 150 ms and 2 s after its answer.
 */
let turns = 0;
const cancelled = Promise.withResolvers<boolean>();

function digest(data: string): string {
  return createHash("sha256").update(Buffer.from(data, "base64")).digest("hex");
}

agent()
  .onRequest("initialize", () => ({ protocolVersion: 1, agentCapabilities: { promptCapabilities: { image: true } } }))
  .onRequest("session/new", ({ params }) => ({ sessionId: params.cwd }))
  .onNotification("session/cancel", () => cancelled.resolve(true))
  .onRequest("session/prompt", async ({ params: { sessionId, prompt }, client }) => {
    turns += 1;
    const script = prompt.map((block) => (block.type === "text" ? block.text : "")).join("");
    const images = prompt.map((block) => (block.type === "image" ? `\n${block.mimeType} ${digest(block.data)}` : ""));
    if (script === "crash") {
      process.stderr.write("no memory left\n");
      process.exit(7);
    }
    const cost = { amount: turns / 4, currency: "USD" };
    const usage = { sessionUpdate: "usage_update" as const, used: 1, size: 2, cost };
    await client.notify("session/update", { sessionId, update: usage });
    if (script === "speak late") {
      const say = (text: string): Promise<void> =>
        client.notify("session/update", {
          sessionId,
          update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text } },
        });
      await say(`Begin ${turns}.`);
      for (const [text, afterMs] of [[` End ${turns}.`, 150] as const, [` VERDICT-${turns}`, 2_000] as const]) {
        setTimeout(() => void say(text), afterMs);
      }
      return { stopReason: "end_turn" as const };
    }
    if (script === "go on") {
      await writeFile(join(sessionId, "begun"), "");
      await cancelled.promise;
      return { stopReason: "cancelled" as const };
    }
    const toolCallId = `call ${turns}`;
    const options = [
      { optionId: "yes", name: "Yes", kind: "allow_once" as const },
      { optionId: "no", name: "No", kind: "reject_once" as const },
    ];
    const { outcome } = await client.request<RequestPermissionResponse, object>(
      methods.client.session.requestPermission,
      {
        sessionId,
        toolCall: { toolCallId },
        options,
      },
    );
    const mayRun = outcome.outcome === "selected" && outcome.optionId === "yes";
    const said = mayRun ? execFileSync("bash", ["-c", script], { cwd: sessionId, encoding: "utf8" }) : "not allowed";
    const content = { type: "text" as const, text: `turn ${turns}: ${said}${images.join("")}` };
    await client.notify("session/update", { sessionId, update: { sessionUpdate: "agent_message_chunk", content } });
    return { stopReason: "end_turn" as const, usage: { inputTokens: 3, outputTokens: turns, totalTokens: 3 + turns } };
  })
  .connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>));
