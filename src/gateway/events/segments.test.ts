import { expect, it } from "vitest";
import { FakeStore } from "./fake-store.ts";
import { readSegment, segmentLine } from "./segments.ts";

const first = segmentLine({ attempt: 1, seq: 1, time: "2026-05-04T10:15:00.000Z", event: { kind: "ready" } });

it.each([
  { name: "as it was stored", broken: "", want: [1] },
  { name: "that breaks off", broken: '{"attempt": 1, "se', want: [1] },
  { name: "that is too large", broken: " ".repeat(1_048_576), want: [] },
])("reads what it can of a segment $name", async ({ broken, want }) => {
  const store = new FakeStore();
  store.blobs.set("key", Buffer.concat([first, Buffer.from(broken)]));
  expect((await readSegment(store, "key")).map(({ seq }) => seq)).toEqual(want);
});
