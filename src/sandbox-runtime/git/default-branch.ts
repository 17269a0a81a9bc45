import { plainText } from "../../api/runtime/text.ts";
import type { WorkContext } from "../work-context.ts";
import { askGit } from "./git-state.ts";

/** Characters of a branch's name that are shown. */
const shownCharacters = 100;

/** The branch that a server's HEAD names; undefined where it does not say. */
export async function defaultBranch(
  context: Pick<WorkContext, "agent" | "clock">,
  url: string,
): Promise<string | undefined> {
  const said = await askGit(context, context.agent.introduction.workspace, [
    "git",
    "ls-remote",
    "--symref",
    "--",
    url,
    "HEAD",
  ]);
  const [, branch] = /^ref: refs\/heads\/(\S+)\tHEAD$/m.exec(said ?? "") ?? [];
  return branch === undefined ? undefined : plainText(branch, shownCharacters);
}
