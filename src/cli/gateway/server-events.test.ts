import { expect, it } from "vitest";

import { parseEvents, type ServerEvent } from "./server-events.ts";

const stream = 'id: 1.1\ndata: {"a":1}\n\n:\n\nid: 1.2\ndata: {"b":": "}\n\nevent: end\ndata: {}\n\n';

it("reads a stream wherever it is cut", async () => {
  for (let size = 1; size <= stream.length; size += 1) {
    expect(await read(cut(stream, size)), `in pieces of ${size}`).toEqual([
      { id: "1.1", name: "message", data: '{"a":1}' },
      { id: "1.2", name: "message", data: '{"b":": "}' },
      { id: "1.2", name: "end", data: "{}" },
    ]);
  }
});

it("leaves out a message that broke off", async () => {
  expect(await read(['id: 1.1\ndata: {"a":1}\n\nid: 1.2\ndata: {"b"'])).toEqual([
    { id: "1.1", name: "message", data: '{"a":1}' },
  ]);
});

it("reads on behind the last message that has an id", async () => {
  const late = ['data: {"a":1}\n\nid: 2.1\ndata: {"b":1}\n\ndata: {"c":1}\n\n'];
  expect((await read(late)).map(({ id }) => id)).toEqual([undefined, "2.1", "2.1"]);
  expect((await read(late, "1.9")).map(({ id }) => id)).toEqual(["1.9", "2.1", "2.1"]);
});

function cut(text: string, size: number): string[] {
  return Array.from({ length: Math.ceil(text.length / size) }, (_, at) => text.slice(at * size, (at + 1) * size));
}

async function read(pieces: readonly string[], lastEventId?: string): Promise<ServerEvent[]> {
  const events: ServerEvent[] = [];
  for await (const event of parseEvents(from(pieces), lastEventId)) events.push(event);
  return events;
}

async function* from(pieces: readonly string[]): AsyncGenerator<string> {
  for (const piece of pieces) yield await Promise.resolve(piece);
}
