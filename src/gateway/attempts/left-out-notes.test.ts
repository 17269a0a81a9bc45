import { expect, it } from "vitest";

import { leftOutNotes } from "./left-out-notes.ts";

const annotation = "runwright.dev/events-left-out";
const why = { bound: "namespace", message: "events have used 2 of 2 bytes" } as const;
const note = { [annotation]: JSON.stringify(why) };

function lease(said?: object | string): Parameters<typeof leftOutNotes>[0] {
  const text = typeof said === "string" ? said : JSON.stringify(said);
  return { metadata: { name: "l", annotations: said === undefined ? {} : { [annotation]: text } } };
}

it.each([
  { name: "that all is kept", said: undefined, leftOut: undefined, want: {} },
  { name: "what was left out first", said: undefined, leftOut: why, want: note },
  { name: "more of the same cause", said: { ...why, message: "3 of 2 bytes" }, leftOut: why, want: {} },
  { name: "another cause", said: { bound: "total", message: "all" }, leftOut: why, want: note },
  { name: "it where the note cannot be read", said: "{", leftOut: why, want: note },
  { name: "nothing of a connection that has kept all since", said: why, leftOut: undefined, want: {} },
])("notes $name", ({ said, leftOut, want }) => {
  expect(leftOutNotes(lease(said), leftOut)).toEqual(want);
});
