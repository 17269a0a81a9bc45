import { temporaryProblem } from "../git/minted-credentials.ts";

/** Words of git, ssh, git-lfs and servers for what another try would meet again. */
const finalWords =
  /Authentication failed|could not read (?:Username|Password)|not found|does not (?:exist|appear to be a git repository)|access denied|certificate|Host key verification failed|Permission denied|not our ref|is not a git command|returned error: (?:401|403|404|410)\b|transport '[^']*' not allowed|Unable to find remote helper|no space left on device|disk quota exceeded|over its data quota|Too many authentication failures/i;

/** Whether another try of a git command would meet the same problem again. */
export function isFinalProblem(problem: string): boolean {
  return finalWords.test(problem) && !problem.includes(temporaryProblem);
}
