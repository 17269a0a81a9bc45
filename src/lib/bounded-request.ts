import { IncomingMessage } from "node:http";
import type { Socket } from "node:net";

import { mostPieces } from "./whole-body.ts";

/**
 * A request whose body may come long before it is read, as while a caller's right is asked for. Node stops reading the socket for the
 * bytes that wait, however short the pieces are in which they came; a piece of one byte costs some 600. So one whose pieces are more than
 * a reader would take, which senders of chunks of 64 bytes never have, loses its connection.
 */
export class BoundedRequest extends IncomingMessage {
  constructor(socket: Socket) {
    super(socket);
    const push = this.push.bind(this);
    let waiting = 0;
    // A property of its own: Express gives requests another prototype.
    this.push = (piece: Buffer | null, encoding) => {
      if (piece === null || this.readableFlowing === true) return push(piece, encoding);
      waiting = this.readableLength === 0 ? 1 : waiting + 1;
      const bytes = this.readableLength + piece.length;
      if (waiting <= mostPieces(bytes, bytes)) return push(piece, encoding);
      this.destroy();
      return false;
    };
  }
}
