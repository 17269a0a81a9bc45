import { describeEnd } from "../local/describe-end.ts";
import { workingDirectory, type WorkContext } from "../work-context.ts";

/** Looks for the agent's program, which hooks may have installed; the problem for people, or undefined. */
export async function findProgram(context: WorkContext): Promise<string | undefined> {
  const { agent, bundle, environment } = context;
  const program = bundle.agent.command[0] ?? "";
  const command = {
    command: ["bash", "-c", 'type -P -- "$0" >/dev/null', program],
    cwd: workingDirectory(context),
    env: { ...environment },
    keepsChildren: false,
  };
  const end = await agent.run(command, () => undefined).ended;
  if (end.code === 0) return undefined;
  return end.code === 1 ? `there is no program ${JSON.stringify(program)}` : describeEnd(end);
}
