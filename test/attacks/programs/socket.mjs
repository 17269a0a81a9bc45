// What an agent can say to its runtime over the socket that both containers share. Run by the agent; its last line is the
// report.
import { once } from "node:events";
import net from "node:net";
import { text } from "node:stream/consumers";

const path = "/run/runwright/socket/runtime.sock";

/** What is answered to these lines; "closed" for nothing but the end of the connection. */
async function say(...lines) {
  const socket = net.connect(path);
  socket.on("error", () => undefined);
  const answer = text(socket).catch(() => "");
  for (const line of lines) socket.write(`${typeof line === "string" ? line : JSON.stringify(line)}\n`);
  return (await answer) || "closed";
}

/** Whether some of these connections are closed at once, while none says a word. */
async function flood(count) {
  const sockets = Array.from({ length: count }, () => net.connect(path).on("error", () => undefined));
  await Promise.race(sockets.map((socket) => once(socket.resume(), "close")));
  for (const socket of sockets) socket.destroy();
  return "closed";
}

const credential = { type: "credential", protocol: "https", host: "git.example.com", path: "other/repository.git" };
const agent = { type: "agent", workspace: "/tmp", home: "/tmp", program: ["/bin/true"], credentialHelper: "" };
const report = {
  "a credential of another host": (await say(credential)).trim(),
  "a line that is no message": await say("{"),
  "a message out of place": await say({ type: "exited", id: 1, code: 0, signal: null }),
  "a line of more than 1 MiB": await say(`"${"x".repeat(1_100_000)}"`),
  "a second connection as the agent's container": await say({ ...agent, systemCaFile: "" }),
  "the archive of a transfer that the runtime did not begin": await say({ type: "transfer", transfer: "t" }),
  "a request for children that there is not": await say({ type: "child", request: { op: "own", namespace: "x" } }),
  "200 connections at once": await flood(200),
};
console.log(JSON.stringify({ type: "result", summary: JSON.stringify(report) }));
