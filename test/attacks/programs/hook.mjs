// What a repository's setup.sh can do before the agent starts. Its report lies in the workspace, for the agent to show.
import net from "node:net";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import { text } from "node:stream/consumers";

const path = "/run/runwright/socket/runtime.sock";

/** What is answered to a line; "closed" for nothing but the end of the connection. */
async function say(document) {
  const socket = net.connect(path);
  socket.on("error", () => undefined);
  const answer = text(socket).catch(() => "");
  socket.write(`${JSON.stringify(document)}\n`);
  return ((await answer) || "closed").trim();
}

const agent = { type: "agent", workspace: "/tmp", home: "/tmp", program: ["/bin/true"], credentialHelper: "" };
const credential = { type: "credential", protocol: "https", path: "checkout.git" };
const lines = readdirSync("/proc")
  .filter((name) => /^[0-9]+$/.test(name) && existsSync(`/proc/${name}/cmdline`))
  .map((id) => readFileSync(`/proc/${id}/cmdline`, "utf8").replaceAll("\0", " "));
const tokens = Object.entries(process.env).filter(([, value]) => /eyJ[\w-]{20,}\.[\w-]{20,}\./.test(value));
const report = {
  "a connection as the agent's container": await say({ ...agent, systemCaFile: "" }),
  "the archive of a transfer": await say({ type: "transfer", transfer: "t" }),
  "a credential of another host": await say({ ...credential, host: "git.example.com" }),
  "a run of its own in the agent's container": await say({ type: "run", id: 1, command: ["id"], cwd: "/" }),
  "the runtime's token": existsSync("/run/runwright/token") || tokens.length > 0 ? "found" : "refused",
  "the runtime's process": lines.some((line) => / runtime( |$)/.test(line)) ? "found" : "refused",
};
writeFileSync("/workspace/hook.json", JSON.stringify(report));
