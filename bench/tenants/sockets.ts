import { connect as connectTcp, type Socket } from "node:net";
import { Duplex } from "node:stream";
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

/** Opens a connection, begins a handshake with the first message of a client, and breaks it off when the server has answered. */
export async function breakOffHandshake(url: string, localAddress: string): Promise<void> {
  const { hostname, port } = new URL(url);
  const socket = connectTcp({ host: hostname, port: Number(port), localAddress });
  socket.write(await clientHello);
  socket.once("data", () => socket.resetAndDestroy());
  await ended(socket);
}

/** The first message of a TLS client. */
const clientHello = new Promise<Buffer>((resolve) => {
  const socket = new Duplex({ read: () => undefined, write: (first: Buffer) => resolve(first) });
  connectTls({ socket, servername: "localhost" }).on("error", () => undefined);
});

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
