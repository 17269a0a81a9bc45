import { plainText } from "../../api/runtime/text.ts";
import { plainEnvironment } from "../boot/environment.ts";
import { ErrorTail } from "../output/error-tail.ts";
import { redact } from "../output/redaction.ts";
import type { Asker } from "./git-state.ts";
import type { EndedPush } from "./push-trace.ts";

/** How long the server is asked why, in milliseconds. */
const limitMs = 30_000;
/** Of what git says. */
const shownCharacters = 300;
/** Kept of the standard output, in UTF-16 units. */
const keptUnits = 65_536;

/**
 * Why a push was refused and what to do, for people. The server is asked by a push that changes nothing, as git's trace does
 * not have its words.
 */
export async function whyRefused(asker: Asker, push: EndedPush, secrets: readonly string[]): Promise<string> {
  const { code, output, errors } = await pushDry(asker, push, secrets);
  const rejected = rejectedIn(output);
  if (rejected !== undefined) {
    const shown = plainText(redact(rejected, secrets), shownCharacters);
    return `${shown}. Have the agent fetch and rebase, or push another branch`;
  }
  if (code !== 0) {
    return `${errors.explainAtLength("the push fails")}. Check that the Repository's credential may write, and that the server is reached`;
  }
  return "the server takes it in a dry run, so that a rule of the server, such as a protected branch or a hook, refuses it. Have the agent push another branch, or change the rule";
}

async function pushDry(
  { agent, clock }: Asker,
  { worktree, args }: EndedPush,
  secrets: readonly string[],
): Promise<{ code: number | null; output: string; errors: ErrorTail }> {
  const errors = new ErrorTail(secrets);
  let output = "";
  const command = ["git", "push", "--dry-run", "--porcelain", ...args];
  // Without the trace, for which it would be one more push.
  const env = { ...plainEnvironment, GIT_TRACE2_EVENT: "0" };
  const running = agent.run({ command, cwd: worktree, env, keepsChildren: false }, (stream, text) => {
    if (stream === "stderr") errors.take(text);
    else if (output.length < keptUnits) output += text;
  });
  const timer = clock.setTimeout(() => running.kill(), limitMs);
  const { code } = await running.ended;
  timer.cancel();
  return { code, output, errors };
}

/** Such as `main: [rejected] (fetch first)`, of the first branch that is. */
function rejectedIn(output: string): string | undefined {
  const [, reference = "", why = ""] = /^!\t([^\t\n]*)\t(.*)$/m.exec(output) ?? [];
  if (why === "") return undefined;
  return `${reference.replace(/^.*:/, "").replace(/^refs\/heads\//, "")}: ${why}`;
}
