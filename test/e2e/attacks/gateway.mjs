// What an agent can do to the gateway and the kube-apiserver with a stolen token. `given` has the token, the sessions it is
// tried on, and whether the channel of its own sandbox is attacked too. Run by the agent; its last line is the report.
import { lookup } from "node:dns/promises";
import https from "node:https";
import net from "node:net";
import process from "node:process";
import { setTimeout as delay } from "node:timers/promises";

process.env.NODE_TLS_REJECT_UNAUTHORIZED = "0"; // whose certificate it is does not matter to a thief
const { token, victim, own } = globalThis.given;
const gateway = new URL(process.env.CONTROL_PLANE_URL);
const pathOf = ({ uid, attempt }) => `/sandbox/v1/sessions/${uid}/attempts/${attempt}`;
const bearer = (text) => (text === undefined ? {} : { authorization: `Bearer ${text}` });
/** Takes nothing more of an answer than its status, so that no open connection keeps this process. */
const statusOf = (response) => (response.resume(), response.statusCode);

/** Status of the answer; 101 when the connection is let in. */
function upgrade(path, text) {
  const upgrades = { connection: "Upgrade", upgrade: "websocket", "sec-websocket-version": "13" };
  const headers = { ...upgrades, "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==", ...bearer(text) };
  return new Promise((resolve) => {
    const request = https.request({ host: gateway.hostname, port: gateway.port, path, headers, agent: false });
    request.on("response", (response) => resolve(statusOf(response))).on("error", ({ code }) => resolve(code));
    request.on("upgrade", (_response, socket) => (socket.destroy(), resolve(101)));
    request.end();
  });
}

function askApiServer(path) {
  return new Promise((resolve) => {
    https
      .get(`https://kubernetes.default.svc${path}`, { headers: bearer(token), agent: false }, (response) =>
        resolve(statusOf(response)),
      )
      .on("error", ({ code }) => resolve(code));
  });
}

/** Close code after these frames on the channel of the token's own sandbox; its runtime may take the place meanwhile. */
async function send(frames) {
  const replaced = 4000;
  for (let tries = 0; tries < 10; tries += 1) {
    const socket = new globalThis.WebSocket(`${gateway.origin}${pathOf(own)}`, { headers: bearer(token) });
    const closed = new Promise((resolve) => socket.addEventListener("close", ({ code }) => resolve(code)));
    socket.addEventListener("open", () => frames.forEach((frame) => socket.send(frame)));
    const code = await closed;
    if (code !== replaced && code !== 1006) return code;
  }
  return replaced;
}

/** How many of these connections are closed from the other side, which is one of two replicas for each. */
async function flood(count) {
  let dropped = 0;
  const { address } = await lookup(gateway.hostname);
  const sockets = Array.from({ length: count }, () =>
    net.connect({ host: address, port: gateway.port }).on("error", () => undefined),
  );
  const first = new Promise((resolve) => {
    for (const socket of sockets) socket.resume().on("close", () => ((dropped += 1), resolve()));
  });
  await Promise.race([first, delay(60_000, undefined, { ref: false })]);
  const seen = dropped;
  for (const socket of sockets) socket.destroy();
  return seen;
}

const hello = JSON.stringify({ type: "hello", protocol: 1, needsBundle: false, openPrompts: [] });
const heartbeat = JSON.stringify({ type: "heartbeat" });
const report = {
  stolen: await upgrade(pathOf(victim), token),
  nonsense: await upgrade(pathOf(victim), "nonsense"),
  noToken: await upgrade(pathOf(victim)),
  otherPath: await upgrade("/api/v1/runs", token),
  secrets: await askApiServer("/api/v1/secrets"),
  ...(own && {
    malformed: await send(["{"]),
    tooLarge: await send(["x".repeat(65_537)]),
    flooding: await send([hello, ...Array.from({ length: 2_000 }, () => heartbeat)]),
    connectionsDropped: (await flood(700)) > 0,
  }),
};
console.log(JSON.stringify({ type: "result", summary: JSON.stringify(report) }));
