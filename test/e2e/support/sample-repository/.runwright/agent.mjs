// Stands in for a coding agent, always with the same outcome: prompt on standard input, JSON lines out, exit status as
// verdict. It takes the incident's name from the payload in the prompt and works as a person would: see the test fail,
// fix the code, see it pass, commit, push a branch.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import process from "node:process";

const source = "src/order-total.mjs";

function say(text) {
  process.stdout.write(`${JSON.stringify({ type: "text", text })}\n`);
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

function git(...args) {
  return execFileSync("git", args, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] }).trim();
}

function testsPass() {
  try {
    execFileSync("node", ["--test"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

const prompt = readFileSync(process.stdin.fd, "utf8");
const incident = /"incident": "([a-z0-9-]{1,60})"/.exec(prompt)?.[1];
if (incident === undefined) fail("the prompt's payload names no incident");
if (!existsSync(".build/boots")) fail("setup.sh and start.sh have not run");
if (testsPass()) fail("the test passes already; there is nothing to fix");
say("The test fails: totals ignore the quantity of a line.");

writeFileSync(
  source,
  readFileSync(source, "utf8").replace("sum + line.unitCents", "sum + line.unitCents * line.quantity"),
);
if (!testsPass()) fail("the test still fails");
say("The test passes.");

const branch = `runwright/fix-${incident}`;
git("switch", "--quiet", "--create", branch);
git("commit", "--quiet", "--all", "--message", `Count each line as often as it was ordered\n\nIncident: ${incident}`);
git("push", "--quiet", "origin", `HEAD:refs/heads/${branch}`);
const commit = git("rev-parse", "HEAD");

const summary = `Order totals ignored the quantity of a line; fixed on ${branch} for incident ${incident}.`;
process.stdout.write(`${JSON.stringify({ type: "result", summary, branch, commit })}\n`);
