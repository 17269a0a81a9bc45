// What an agent can do to the gateway, the kube-apiserver and the kubelet with stolen tokens. `given` has them, the sessions
// they are tried on, and the node's address. Run by the agent; its last line is the report.
import { Buffer } from "node:buffer";
import { lookup } from "node:dns/promises";
import https from "node:https";
import net from "node:net";
import process from "node:process";
import { setTimeout as delay } from "node:timers/promises";

process.env.NODE_TLS_REJECT_UNAUTHORIZED = "0"; // whose certificate it is does not matter to a thief
const { token, ended, unbound, forApiServer, impostor, victim, own, node } = globalThis.given;
const gateway = new URL(process.env.CONTROL_PLANE_URL);
const origin = `https://${gateway.host}`;
const pathOf = ({ uid, attempt }) => `/sandbox/v1/sessions/${uid}/attempts/${attempt}`;
const bearer = (text) => (text === undefined ? {} : { authorization: `Bearer ${text}` });
/** Takes nothing more of an answer than its status, so that no open connection keeps this process. */
const statusOf = (response) => (response.resume(), response.statusCode);

/** The connection, when it is let in; else the status of the answer, or a code where it ends without one. */
function connect(path, text) {
  const upgrades = { connection: "Upgrade", upgrade: "websocket", "sec-websocket-version": "13" };
  const headers = { ...upgrades, "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==", ...bearer(text) };
  return new Promise((resolve) => {
    const request = https.request({ host: gateway.hostname, port: gateway.port, path, headers, agent: false });
    request.on("response", (response) => resolve(statusOf(response))).on("error", ({ code }) => resolve(code));
    request.on("upgrade", (_response, socket, head) => (socket.unshift(head), resolve(socket)));
    request.end();
  });
}

/** Status of the answer; 101 when the connection is let in. */
async function upgrade(path, text) {
  const connected = await connect(path, text);
  if (!(connected instanceof net.Socket)) return connected;
  connected.destroy();
  return 101;
}

/** Status of the answer to a request; a code where the connection ends without one. */
function ask(url, { method = "GET", body, headers = bearer(token) } = {}) {
  return new Promise((resolve) => {
    const request = https.request(url, { method, headers, agent: false }, (response) => resolve(statusOf(response)));
    request.on("error", ({ code }) => resolve(code)).end(body);
  });
}
const post = (path, body, text = token) =>
  ask(`${origin}${path}`, {
    method: "POST",
    body,
    headers: { ...bearer(text), "content-type": "application/json" },
  });

/**
 * Close code after these texts on the channel of the token's own sandbox; its runtime may take the place meanwhile. All are one
 * write, so that the gateway reads them before it has found that another has the place.
 */
async function send(texts) {
  const replaced = 4000;
  for (let tries = 0; tries < 10; tries += 1) {
    const socket = await connect(pathOf(own), token);
    if (!(socket instanceof net.Socket)) continue;
    socket.on("error", () => undefined).write(Buffer.concat(texts.map(frameOf)));
    const code = closeCodeIn(await readUntilEnd(socket));
    if (code !== undefined && code !== replaced) return code;
  }
  return replaced;
}

/** A text as a client frames it; a mask of zeros leaves it as it is. */
function frameOf(text) {
  const isShort = text.length < 126;
  const header = Buffer.alloc(isShort ? 6 : 14);
  header.set([0x81, 0x80 + (isShort ? text.length : 127)]);
  if (!isShort) header.writeBigUInt64BE(BigInt(text.length), 2);
  return Buffer.concat([header, Buffer.from(text)]);
}

function readUntilEnd(socket) {
  const chunks = [];
  return new Promise((resolve) => {
    socket.on("data", (chunk) => chunks.push(chunk)).on("close", () => resolve(Buffer.concat(chunks)));
  });
}

/** Code of the close frame among a server's frames. */
function closeCodeIn(bytes) {
  for (let at = 0; at + 4 <= bytes.length;) {
    const size = bytes[at + 1];
    const [header, length] =
      size < 126 ? [2, size] : size === 126 ? [4, bytes.readUInt16BE(at + 2)] : [10, bytes.readUInt32BE(at + 6)];
    if (bytes[at] === 0x88) return bytes.readUInt16BE(at + header);
    at += header + length;
  }
  return undefined;
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
const people = `https://${gateway.hostname}:8444`;
const apiServer = "https://kubernetes.default.svc";
const list = JSON.stringify({ op: "list" });
const report = {
  "the channel of another session": await upgrade(pathOf(victim), token),
  "its own channel with the token of a pod beside it": await upgrade(pathOf(own), impostor),
  "its own channel with a token that is bound to no pod": await upgrade(pathOf(own), unbound),
  "its own channel with a token for the API server": await upgrade(pathOf(own), forApiServer),
  "a channel with nonsense for a token": await upgrade(pathOf(victim), "nonsense"),
  "a channel without a token": await upgrade(pathOf(victim)),
  "the channel of a sandbox that has ended": await upgrade(pathOf(ended), token),
  "the channel of a sandbox that is to come": await upgrade(pathOf({ ...own, attempt: own.attempt + 1 }), token),
  "the channel of a session that there is not": await upgrade(pathOf({ uid: "0".repeat(36), attempt: 1 }), token),
  "the REST API at the port of sandboxes": await upgrade("/api/v1/runs", token),
  "a path that climbs out of its own": await upgrade(`${pathOf(own)}/../../${victim.uid}/attempts/1`, token),
  "a stream of another session": await upgrade(`${pathOf(victim)}/streams/${"0".repeat(48)}`, token),
  "children of another session": await post(`${pathOf(victim)}/children`, list),
  "git credentials of another session": await post(`${pathOf(victim)}/credentials`, "{}"),
  "skills of another session": await ask(`${origin}${pathOf(victim)}/skills/0`),
  "credentials by a body of 2 MiB": await post(`${pathOf(own)}/credentials`, "x".repeat(2_097_152)),
  "children by a body that is no JSON": await post(`${pathOf(own)}/children`, "{"),
  "the REST API with a sandbox's token": await ask(`${people}/automations`),
  "the REST API without a token": await ask(`${people}/automations`, { headers: {} }),
  "the archive with a sandbox's token": await ask(`${people}/analytics/summary`),
  "a tunnel with a sandbox's token": await ask(`${people}/sessions/${victim.namespace}.victim/tunnels/80/`),
  "Secrets with a sandbox's token": await ask(`${apiServer}/api/v1/secrets`),
  "Secrets without a token": await ask(`${apiServer}/api/v1/secrets`, { headers: {} }),
  "the kubelet with a sandbox's token": await ask(`https://${node}:10250/pods`),
  "the kubelet without a token": await ask(`https://${node}:10250/pods`, { headers: {} }),
  "a frame that is no message": await send(["{"]),
  "a frame of more than 64 KiB": await send(["x".repeat(65_537)]),
  "2,000 frames at once": await send([hello, ...Array.from({ length: 2_000 }, () => heartbeat)]),
  "700 connections at once": (await flood(700)) > 0 ? "closed" : "all taken",
};
console.log(JSON.stringify({ type: "result", summary: JSON.stringify(report) }));
