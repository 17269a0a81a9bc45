import { request, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import type { TLSSocket } from "node:tls";

import { gatewayRefusal, parseAnswer } from "./gateway-api.ts";

/** One message of an event stream. */
export interface ServerEvent {
  /** By which to read on behind it: its own, else that of the message before. */
  id: string | undefined;
  /** `message` unless it has a name. */
  name: string;
  data: string;
}

/** The gateway gives a sign of life four times as often, so longer silence is a lost connection; in milliseconds. */
const silenceMs = 60_000;

/** Reads an event stream of the gateway over a connection, which ends with it. @throws CliError when it is refused */
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

/** The messages of an event stream, wherever it is cut into pieces; what is only a sign of life is left out. */
export async function* parseEvents(
  pieces: AsyncIterable<string>,
  lastEventId: string | undefined,
): AsyncGenerator<ServerEvent> {
  let rest = "";
  let id = lastEventId;
  for await (const piece of pieces) {
    const messages = (rest + piece).split("\n\n");
    rest = messages.pop() ?? "";
    for (const message of messages) {
      const event = parseEvent(message);
      id = event?.id ?? id;
      if (event) yield { ...event, id };
    }
  }
}

function parseEvent(message: string): ServerEvent | undefined {
  const lines = message.split("\n");
  const field = (name: string): string | undefined =>
    lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
  const data = field("data");
  return data === undefined ? undefined : { id: field("id"), name: field("event") ?? "message", data };
}
