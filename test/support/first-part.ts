import type { Server } from "node:net";
import { Duplex } from "node:stream";

/** Bytes that an HTTP server parses at once of a read of 64 KiB. */
export function firstPart(server: Server, event: "connection" | "secureConnection"): number | undefined {
  const connection = new Duplex({ read: () => undefined, write: (_bytes, _encoding, done) => done() });
  // One without an address is closed already.
  Object.assign(connection, { remoteAddress: "127.0.0.1", remotePort: 1 });
  let first: number | undefined;
  const push = connection.push.bind(connection);
  connection.push = (part: Buffer | null) => {
    first ??= part?.length;
    return push(part);
  };
  server.emit(event, connection);
  connection.push(
    Buffer.from(
      `POST / HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n${"1\r\nx\r\n".repeat(10_900)}`,
    ),
  );
  connection.destroy();
  return first;
}
