import { describeEnd } from "../local/describe-end.ts";
import { workingDirectory, type WorkContext } from "../work-context.ts";

/** Exits with 1 where there is no such program, and with 3 where there is a file of that name that may not be run. */
const look = `
found=$(type -P -- "$0") && [ -x "$found" ] && exit 0
case $0 in */*) found=$0 ;; esac
[ -f "$found" ] && exit 3
exit 1`;

/** Looks for the agent's program, which hooks may have installed; the problem for people, or undefined. */
export async function findProgram(context: WorkContext): Promise<string | undefined> {
  const { agent, bundle, environment } = context;
  const program = bundle.agent.command[0] ?? "";
  const command = {
    command: ["bash", "-c", look, program],
    cwd: workingDirectory(context),
    env: { ...environment },
    keepsChildren: false,
  };
  const end = await agent.run(command, () => undefined).ended;
  const named = JSON.stringify(program);
  if (end.code === 0) return undefined;
  if (end.code === 1) return `there is no program ${named}`;
  if (end.code === 3) {
    return `${named} is there and may not be executed: set its executable bit (chmod +x, and git update-index --chmod=+x), or name its interpreter first in agent.command`;
  }
  return describeEnd(end);
}
