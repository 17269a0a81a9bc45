import { expect, it } from "vitest";
import { readMessage } from "./read-message.ts";

const read = (document: unknown): ReturnType<typeof readMessage> => readMessage(JSON.stringify(document));
const output = { kind: "output", source: "agent", stream: "stdout", text: "hi" };

const heartbeat = { type: "heartbeat" };
const event = { type: "event", seq: 1, event: output };

it.each([
  { name: "a heartbeat", document: heartbeat, message: heartbeat, isMore: false },
  { name: "an event", document: event, message: event, isMore: false },
  { name: "a heartbeat with a new field", document: { ...heartbeat, mood: 1 }, message: heartbeat, isMore: true },
  {
    name: "an event with a new field",
    document: { ...event, event: { ...output, line: 7 } },
    message: event,
    isMore: true,
  },
])("takes $name", ({ document, message, isMore }) =>
  expect(read(document)).toEqual({ message, hasUnknownFields: isMore }),
);

it.each([
  { name: "a message of a newer runtime", document: { type: "mood", of: "agent" }, seq: undefined },
  { name: "a numbered one", document: { type: "mood", seq: 7 }, seq: 7 },
  { name: "an event of a newer kind", document: { type: "event", seq: 7, event: { kind: "mood" } }, seq: 7 },
])("does not know $name, and reads no more than its number", ({ document, seq }) => {
  expect(read(document)).toEqual({ message: { type: "unknown", ...(seq && { seq }) }, hasUnknownFields: false });
});

it.each([
  { name: "text that is no JSON", text: "{" },
  { name: "no object", text: "7" },
  { name: "no type", text: "{}" },
  { name: "a type that is no text", text: '{"type":5}' },
  { name: "a known message without what it must have", text: '{"type":"ready"}' },
  { name: "an event without a kind", text: '{"type":"event","seq":1,"event":{}}' },
  { name: "a known event with a bad content", text: '{"type":"event","seq":1,"event":{"kind":"output"}}' },
  { name: "an event of a newer kind with a bad number", text: '{"type":"event","seq":-1,"event":{"kind":"mood"}}' },
  { name: "a newer message with a bad number", text: '{"type":"mood","seq":0}' },
])("takes $name for no message", ({ text }) => expect(readMessage(text)).toBeUndefined());
