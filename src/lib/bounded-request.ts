import { IncomingMessage } from "node:http";
import type { Socket } from "node:net";

/**
 * Pieces of a body that may wait until somebody reads. Senders of chunks of 64 bytes or more never have as many: what arrives at once
 * from a socket is 64 KiB.
 */
const mostWaiting = 2_048;

/**
 * A request whose body may come long before it is read, as while a caller's right is asked for. Node stops reading the socket for the
 * bytes that wait, however short the pieces are in which they came; a piece of one byte costs some 600. So one whose pieces are too many
 * loses its connection.
 */
export class BoundedRequest extends IncomingMessage {
  constructor(socket: Socket) {
    super(socket);
    const push = this.push.bind(this);
    let waiting = 0;
    // A property of its own: Express gives requests another prototype.
    this.push = (piece, encoding) => {
      if (piece === null || this.readableFlowing === true) return push(piece, encoding);
      waiting = this.readableLength === 0 ? 1 : waiting + 1;
      if (waiting <= mostWaiting) return push(piece, encoding);
      this.destroy();
      return false;
    };
  }
}
