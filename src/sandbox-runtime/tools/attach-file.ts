import type { FileHandle } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";

import { ChildAnswer } from "../../api/runtime/children.ts";
import { protocolLimits } from "../../api/runtime/limits.ts";
import { LineSocket } from "../local/line-socket.ts";
import { localLimits, localSocketName } from "../local/messages.ts";
import { openWorkspaceFile, type WorkspaceFile, WorkspaceFileError } from "./workspace-file.ts";

const lost: ChildAnswer = {
  status: 503,
  body: { error: "the sandbox's runtime took no more of the file; try again", code: "Unavailable" },
};

/** Attaches a file of the workspace to the answer of the prompt that runs; never rejects. */
export async function attachFile(
  { socketDirectory, workspace }: { socketDirectory: string; workspace: string },
  path: string,
): Promise<ChildAnswer> {
  let opened: WorkspaceFile | undefined;
  try {
    opened = await openWorkspaceFile(path, workspace);
    return await send(join(socketDirectory, localSocketName), opened);
  } catch (error) {
    const message = error instanceof WorkspaceFileError ? error.message : "the file cannot be read";
    return { status: 400, body: { error: message, code: "InvalidRequest" } };
  } finally {
    await opened?.file.close();
  }
}

/** Sends the content only where the runtime asks for it. */
function send(socketPath: string, { file, name, bytes }: WorkspaceFile): Promise<ChildAnswer> {
  return new Promise((resolve) => {
    const socket = connect(socketPath);
    const lines = new LineSocket(socket, localLimits.toAgentBytes, (document) => {
      const answer = ChildAnswer.parse(document);
      if (answer.status !== 100) resolve(answer);
      else sendContent(lines, file, bytes).catch(() => socket.destroy());
    });
    lines.onClose(() => resolve(lost));
    lines.send({ type: "media", fileName: name.slice(0, protocolLimits.fileNameCharacters), bytes });
  });
}

/** As many bytes as were offered; rejects where the file has become shorter. */
async function sendContent(lines: LineSocket, file: FileHandle, bytes: number): Promise<void> {
  for (let at = 0; at < bytes;) {
    const length = Math.min(localLimits.filePieceBytes, bytes - at);
    const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, at);
    if (bytesRead === 0) throw new Error("the file has become shorter");
    const isTaken = lines.send({ piece: buffer.subarray(0, bytesRead).toString("base64") });
    if (!isTaken) await new Promise<void>((resolve) => lines.whenDrained(resolve));
    at += bytesRead;
  }
}
