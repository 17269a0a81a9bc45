import { request, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import type { TLSSocket } from "node:tls";

import { createParser } from "eventsource-parser";

import { gatewayRefusal, parseAnswer } from "./gateway-api.ts";

/** One message of an event stream. */
export interface ServerEvent {
  /** Where to continue reading after this message: its own id, else that of the message before. */
  id: string | undefined;
  /** `message` unless it has a name. */
  name: string;
  data: string;
}

/** The gateway sends a comment four times as often, so a longer silence means a lost connection; in milliseconds. */
const silenceMs = 60_000;

/** Reads an event stream of the gateway and then closes the connection. @throws CliError when the gateway refuses it */
export async function* serverEvents(
  socket: TLSSocket,
  path: string,
  { token, lastEventId, what }: { token: string; lastEventId: string | undefined; what: string },
): AsyncGenerator<ServerEvent> {
  socket.setTimeout(silenceMs, () => socket.destroy(new Error("the gateway has gone silent")));
  try {
    const headers = {
      host: "gateway",
      authorization: `Bearer ${token}`,
      ...(lastEventId === undefined ? {} : { "last-event-id": lastEventId }),
    };
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      request({ createConnection: () => socket, path, headers }, resolve)
        .on("error", reject)
        .end();
    });
    const { statusCode: status = 0 } = answer;
    if (status !== 200) throw gatewayRefusal({ status, body: parseAnswer(await text(answer)) }, what);
    answer.setEncoding("utf8");
    yield* parseEvents(answer, lastEventId);
  } finally {
    socket.destroy();
  }
}

/** The messages of an event stream, wherever it is cut into pieces; comments and messages without data are left out. */
export async function* parseEvents(
  pieces: AsyncIterable<string>,
  lastEventId: string | undefined,
): AsyncGenerator<ServerEvent> {
  let id = lastEventId;
  const events: ServerEvent[] = [];
  const parser = createParser({
    onId: (given) => (id = given),
    onEvent: ({ event: name = "message", data }) => events.push({ id, name, data }),
  });
  for await (const piece of pieces) {
    parser.feed(piece);
    yield* events.splice(0);
  }
}
