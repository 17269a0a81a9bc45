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
  for (const line of lines) socket.write(`${line}\n`);
  return (await answer) || "closed";
}

/** Whether some of these connections are closed at once, while none says a word. */
async function flood(count) {
  const sockets = Array.from({ length: count }, () => net.connect(path).on("error", () => undefined));
  await Promise.race(sockets.map((socket) => once(socket.resume(), "close")));
  for (const socket of sockets) socket.destroy();
  return true;
}

const credential = { type: "credential", protocol: "https", host: "git.example.com", path: "other/repository.git" };
const agent = { type: "agent", workspace: "/tmp", home: "/tmp", program: ["/bin/true"], credentialHelper: "" };
const asked = await say(JSON.stringify(credential));
const report = {
  credential: JSON.parse(asked),
  malformed: await say("{"),
  outOfPlace: await say(JSON.stringify({ type: "exited", id: 1, code: 0, signal: null })),
  tooLarge: await say(`"${"x".repeat(1_100_000)}"`),
  secondAgent: await say(JSON.stringify({ ...agent, systemCaFile: "" })),
  connectionsDropped: await flood(200),
};
console.log(JSON.stringify({ type: "result", summary: JSON.stringify(report) }));
