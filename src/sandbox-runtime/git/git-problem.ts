import { plainEnvironment } from "../boot/environment.ts";
import { describeEnd } from "../local/describe-end.ts";
import { ErrorTail } from "../output/error-tail.ts";
import type { WorkContext } from "../work-context.ts";

/** Runs a git command for what it does; why it failed or that it took longer than `maxMs`, for people, or undefined. */
export async function gitProblem(
  { agent, clock, secrets }: Pick<WorkContext, "agent" | "clock" | "secrets">,
  cwd: string,
  command: readonly string[],
  maxMs: number,
): Promise<string | undefined> {
  const errors = new ErrorTail(secrets);
  const run = { command: [...command], cwd, env: { ...plainEnvironment }, keepsChildren: false };
  const running = agent.run(run, (stream, text) => {
    if (stream === "stderr") errors.take(text);
  });
  const late = new AbortController();
  const timer = clock.setTimeout(() => {
    late.abort();
    running.kill();
  }, maxMs);
  const end = await running.ended;
  timer.cancel();
  if (end.code === 0) return undefined;
  const what = command.slice(0, 2).join(" ");
  if (late.signal.aborted) return `${what} took longer than ${maxMs / 1_000} s`;
  return errors.explain(`${what} ${describeEnd(end)}`);
}
