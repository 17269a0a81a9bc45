// What the hostile repository of git.mjs got. Run by the agent; its last line is the report.
import { readFileSync } from "node:fs";

const requests = readFileSync("/workspace/thief.log", "utf8")
  .split("\n")
  .filter(Boolean)
  .map((line) => JSON.parse(line));
const spied = readFileSync("/workspace/spied", "utf8")
  .split("\n")
  .filter(Boolean)
  .map((line) => line.split(" "));
const report = {
  // The runtime asked its server which branch has the commit, and the checkout sent it elsewhere.
  asked: requests.some(({ path }) => path.startsWith("/own/")),
  "have the runtime's own git send the credential to another host": requests.some(({ authorization }) => authorization)
    ? "sent"
    : "refused",
  ran: [...new Set(spied.map(([what]) => what))].sort(),
  "run code of .git/config, hooks and attributes outside of the agent's container": spied.every(
    ([, user, token, runtimes]) => user === "10002" && token === "none" && runtimes === "0",
  )
    ? "refused"
    : spied,
};
console.log(JSON.stringify({ type: "result", summary: JSON.stringify(report) }));
