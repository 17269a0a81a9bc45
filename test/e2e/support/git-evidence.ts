import { dirname } from "node:path";

import { gitServerName } from "./git-server-objects.ts";
import type { GitServer } from "./git-server.ts";
import { kubectl, type Workbench } from "./workbench.ts";

/** What a branch on the git server holds. */
export interface BranchEvidence {
  branch: string;
  commit: string;
  message: string;
  testsPass: boolean;
  /** The telling lines of what the test run printed. */
  testOutput: string;
}

const repository = "/data/repositories/checkout.git";

/** Names and last commits of the branches on the git server. */
export function listBranches(bench: Workbench, git: GitServer): Promise<string> {
  const format = "--format=%(refname:short) %(objectname:short) %(subject)";
  return askGit(bench, git, ["for-each-ref", format, "refs/heads"]);
}

/** What a command of git's prints about the repository on the git server. */
export function askGit(bench: Workbench, git: GitServer, command: readonly string[]): Promise<string> {
  return inServer(bench, git, ["git", "-C", repository, ...command]);
}

/** Has the git server give the sample under another path, too, such as `acme/api`; gives its clone URL. */
export async function serveAlsoAs(bench: Workbench, git: GitServer, path: string): Promise<string> {
  const script = `mkdir -p "$(dirname "$1")" && ln -s ${repository} "$1"`;
  await inServer(bench, git, ["sh", "-c", script, "sh", `${dirname(repository)}/${path}.git`]);
  return new URL(`/${path}.git`, git.url).href;
}

/** Checks a branch out beside the git server and runs the sample's own tests there. */
export async function examineBranch(bench: Workbench, git: GitServer, branch: string): Promise<BranchEvidence> {
  const script = `
    set -e
    copy=$(mktemp -d)
    git clone --quiet --branch "$1" ${repository} "$copy"
    cd "$copy"
    git rev-parse HEAD
    git log -1 --format=%B
    echo ----
    if node --test --test-reporter=spec 2>&1; then echo PASS; else echo FAIL; fi
    rm -rf "$copy"`;
  const output = await inServer(bench, git, ["sh", "-c", script, "sh", branch]);
  const [head = "", tests = ""] = output.split("\n----\n", 2);
  const [commit = "", ...message] = head.split("\n");
  const testsPass = tests.trimEnd().endsWith("PASS");
  const told = tests.split("\n").filter((line) => /^(✔|✖ each|ℹ (pass|fail) )| !== /.test(line));
  const testOutput = [...new Set(told)].join("\n");
  return { branch, commit, message: message.join("\n").trim(), testsPass, testOutput };
}

/** Whether the git server refuses a client without a password. */
export async function refusesStrangers(bench: Workbench, git: GitServer): Promise<boolean> {
  // Its certificate is not what is asked about here.
  const script = 'GIT_TERMINAL_PROMPT=0 git -c http.sslVerify=false ls-remote "$1" 2>&1 && echo LISTED || true';
  const output = await inServer(bench, git, ["sh", "-c", script, "sh", git.url]);
  return !output.includes("LISTED") && output.includes("could not read Username");
}

function inServer(bench: Workbench, git: GitServer, command: readonly string[]): Promise<string> {
  return kubectl(bench, ["-n", git.namespace, "exec", `deployment/${gitServerName}`, "-c", "git", "--", ...command]);
}
