import { connect as connectTcp, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";

/** Pieces of a body that are written at once. */
const writtenAtOnce = 1_000;

interface Chunked {
  url: string;
  /** The authority of the server's certificate, for `https:`. */
  ca?: string;
  localAddress?: string;
  headers: Readonly<Record<string, string>>;
  /** How many chunks of one byte the body has. */
  chunks: number;
}

/** Posts a body of chunks of one byte each; resolves when the server has closed the connection, rejects where it broke. */
export function postChunks({ url, ca, localAddress, headers, chunks }: Chunked): Promise<void> {
  const { hostname, port, pathname, protocol } = new URL(url);
  const to = { host: hostname, port: Number(port), ...(localAddress === undefined ? {} : { localAddress }) };
  const socket = protocol === "https:" ? connectTls({ ...to, ca }) : connectTcp(to);
  const all = { host: hostname, connection: "close", "transfer-encoding": "chunked", ...headers };
  const head = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`POST ${pathname} HTTP/1.1\r\n${head.join("")}\r\n`);
  writeChunks(socket, chunks);
  return ended(socket);
}

/** Opens a connection, begins a handshake and breaks it off. */
export function breakOffHandshake(url: string, localAddress: string): Promise<void> {
  const { hostname, port } = new URL(url);
  const socket = connectTcp({ host: hostname, port: Number(port), localAddress });
  // A TLS client, of whose first message the server has to make keys before it can know better.
  const tls = connectTls({ socket, servername: hostname, rejectUnauthorized: false });
  socket.once("data", () => socket.resetAndDestroy());
  tls.on("error", () => undefined);
  return ended(socket);
}

function writeChunks(socket: Socket, left: number): void {
  if (left <= 0) {
    socket.write("0\r\n\r\n");
    return;
  }
  const count = Math.min(writtenAtOnce, left);
  socket.write("1\r\nx\r\n".repeat(count), (error) => {
    if (!error) writeChunks(socket, left - count);
  });
}

function ended(socket: Socket): Promise<void> {
  socket.resume();
  return new Promise((resolve, reject) => {
    socket.once("error", reject);
    socket.once("close", () => resolve());
  });
}
