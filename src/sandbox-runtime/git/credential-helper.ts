import { connect } from "node:net";
import { join } from "node:path";
import { CredentialAnswer, localLimits, localSocketName } from "../local/messages.ts";
import { LineSocket } from "../local/line-socket.ts";

/** How long the runtime may take to answer, in milliseconds: it may have to ask the gateway more than once. */
const answerMs = 150_000;

export interface HelperAnswer {
  /** For git. */
  output: string;
  /** For people. */
  problem?: string | undefined;
}

/**
 * git's credential helper: reads git's question (`key=value` lines) and asks the runtime for the credential. The output
 * is empty when there is none for the URL, and for actions other than `get`, as nothing is stored or erased.
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

/** Resolves with an empty answer when the runtime is not there or does not answer in time. */
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
