// What start.sh of a repository may leave in the background: a development server with a WebSocket. It answers a request
// with what it was asked, and each message with its own text.
import { createHash } from "node:crypto";
import { createServer } from "node:http";
import { Buffer } from "node:buffer";
import process from "node:process";

const protocolKey = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

const server = createServer((request, response) => {
  const { method, url, headers } = request;
  response.setHeader("content-type", "application/json");
  request.on("data", () => undefined).on("end", () => response.end(JSON.stringify({ method, url, headers })));
});

server.on("upgrade", ({ headers }, socket) => {
  const accept = createHash("sha1").update(`${headers["sec-websocket-key"]}${protocolKey}`).digest("base64");
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
  );
  let received = Buffer.alloc(0);
  socket.on("error", () => socket.destroy());
  socket.on("data", (chunk) => {
    received = Buffer.concat([received, chunk]);
    for (let frame = takeFrame(received); frame; frame = takeFrame(received)) {
      received = received.subarray(frame.end);
      socket.write(Buffer.concat([Buffer.from([frame.first, frame.text.length]), frame.text]));
      if ((frame.first & 15) === 8) socket.end();
    }
  });
});

/** The first whole frame of a client, which masks what it sends; only short ones are understood. */
function takeFrame(bytes) {
  const end = 6 + (bytes[1] & 127);
  if (bytes.length < 6 || bytes.length < end) return undefined;
  const mask = bytes.subarray(2, 6);
  return {
    first: bytes[0],
    end,
    text: Buffer.from(bytes.subarray(6, end).map((byte, index) => byte ^ mask[index % 4])),
  };
}

server.listen(Number(process.env.EXPECTED_TUNNEL_PORTS));
