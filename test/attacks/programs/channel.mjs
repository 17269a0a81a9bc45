// Whether a stolen token still opens the channel of a sandbox that has ended. Run by the agent of another; its last line is the
// report.
import https from "node:https";
import process from "node:process";

const { token, of } = globalThis.given;
const { host } = new URL(process.env.CONTROL_PLANE_URL);
const headers = {
  authorization: `Bearer ${token}`,
  connection: "Upgrade",
  upgrade: "websocket",
  "sec-websocket-version": "13",
  "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
};
const path = `/sandbox/v1/sessions/${of.uid}/attempts/${of.attempt}`;
const status = await new Promise((resolve) => {
  const request = https.request(`https://${host}${path}`, { headers, agent: false, rejectUnauthorized: false });
  request
    .on("response", (response) => (response.resume(), resolve(response.statusCode)))
    .on("error", ({ code }) => resolve(code));
  request.on("upgrade", (_response, socket) => (socket.destroy(), resolve(101)));
  request.end();
});
console.log(JSON.stringify({ type: "result", summary: JSON.stringify({ status }) }));
