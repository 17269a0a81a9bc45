import { connect } from "node:net";
import { join } from "node:path";
import { CredentialAnswer, localLimits, localSocketName } from "./local/messages.ts";
import { LineSocket } from "./local/line-socket.ts";

/** How long the runtime may take to answer, in milliseconds: the gateway may have to be asked more than once. */
const answerMs = 150_000;

/** What git is told, and what people are. */
export interface HelperAnswer {
  output: string;
  problem?: string | undefined;
}

/**
 * git's credential helper: takes git's question (`key=value` lines), asks the runtime, and gives git's answer. Only
 * `get` asks; there is nothing to store or to erase. The output is empty when there is no credential for the URL.
 */
export async function answerGit(action: string, question: string, socketDirectory: string): Promise<HelperAnswer> {
  const asked = new Map(question.split("\n").map((line) => splitOnce(line)));
  const protocol = asked.get("protocol") ?? "";
  if (action !== "get" || protocol === "") return { output: "" };
  const request = { type: "credential", protocol, host: asked.get("host") ?? "", path: asked.get("path") ?? "" };
  const { username, password, problem } = await ask(join(socketDirectory, localSocketName), request);
  if (password === undefined) return { output: "", problem };
  return { output: `${username ? `username=${username}\n` : ""}password=${password}\n` };
}

function splitOnce(line: string): [string, string] {
  const at = line.indexOf("=");
  return at < 0 ? [line, ""] : [line.slice(0, at), line.slice(at + 1)];
}

/** An empty answer when the runtime is not there or says nothing in time. */
function ask(path: string, request: object): Promise<CredentialAnswer> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.setTimeout(answerMs, () => socket.destroy());
    const lines = new LineSocket(socket, localLimits.toRuntimeBytes, (document) => {
      resolve(CredentialAnswer.parse(document));
    });
    lines.onClose(() => resolve({}));
    lines.send(request);
  });
}
