import { askRuntime } from "../local/ask-runtime.ts";
import { CredentialAnswer, type CredentialRequest } from "../local/messages.ts";

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
  const request: CredentialRequest = {
    type: "credential",
    protocol,
    host: asked.get("host") ?? "",
    path: asked.get("path") ?? "",
  };
  const { username, password, problem } = await askRuntime(socketDirectory, request, {
    schema: CredentialAnswer,
    otherwise: {},
    answerMs,
  });
  if (password === undefined) return { output: "", problem };
  return { output: `${username ? `username=${username}\n` : ""}password=${password}\n` };
}

function splitOnce(line: string): [string, string] {
  const at = line.indexOf("=");
  return at < 0 ? [line, ""] : [line.slice(0, at), line.slice(at + 1)];
}
