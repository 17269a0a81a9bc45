import { describeEnd } from "../local/describe-end.ts";
import { ErrorTail } from "../output/error-tail.ts";
import { plainEnvironment } from "../boot/environment.ts";
import { workingDirectory, type WorkContext } from "../work-context.ts";
import { writeSkills } from "./write-skills.ts";

/**
 * Gets the session's skills to where its agent looks for them, and warns of those that give way to skills of the same name.
 * After the hooks, which may bring skills of their own. Resolves with the problem, or undefined.
 */
export async function installSkills(context: WorkContext): Promise<string | undefined> {
  const { agent, bundle, skills, publish } = context;
  if (!bundle.skills) return undefined;
  try {
    await writeSkills(context.skillsDirectory, await skills.read(bundle.skills));
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  let said = "";
  const errors = new ErrorTail(context.secrets);
  const command = {
    command: [...agent.introduction.program, "link-skills"],
    cwd: workingDirectory(context),
    env: plainEnvironment,
    keepsChildren: false,
  };
  const end = await agent.run(command, (stream, text) => {
    if (stream === "stdout") said += text;
    else errors.take(text);
  }).ended;
  if (end.code !== 0) {
    return errors.explain(`the skills could not be linked into the agent's home: the command ${describeEnd(end)}`);
  }
  for (const name of said.split("\n").filter((line) => line !== "")) {
    const message = `skill ${name} is left out: a repository or the agent's home has a skill of this name`;
    publish({ kind: "warning", scope: "start", message });
  }
  return undefined;
}
