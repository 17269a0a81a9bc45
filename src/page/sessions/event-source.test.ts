import { afterEach, expect, it, vi } from "vitest";
import { Problem } from "../api.ts";
import { readEvents, readOlderPart } from "./event-source.ts";

afterEach(() => vi.unstubAllGlobals());

/** What was asked for. */
let asked: { url: string; headers: Record<string, string> }[];

function answering(body: string, status = 200): void {
  asked = [];
  vi.stubGlobal("fetch", (url: string, { headers }: { headers: Record<string, string> }) => {
    asked.push({ url, headers });
    return Promise.resolve(new Response(body, { status }));
  });
}

const event = (seq: number): string => {
  const data = { attempt: 1, seq, time: "2026-03-31T12:00:00Z", event: { kind: "ready" } };
  return `id: 1.${seq}\ndata: ${JSON.stringify(data)}\n\n`;
};
const older = 'event: older\ndata: {"before":"1.3"}\n\n';
const end = "event: end\ndata: {}\n\n";

it("begins with the newest events, and goes on after one that it has", async () => {
  answering(`${older}${event(3)}:\n\n${end}`);
  const got: unknown[] = [];
  const sink = {
    open: () => void got.push("open"),
    older: (before: string) => void got.push(before),
    event: ({ seq }: { seq: number }, id: string | undefined) => void got.push([seq, id]),
    end: () => void got.push("end"),
  };
  await readEvents("demo.fix", {}, sink);
  await readEvents("demo.fix", { after: "1.2" }, sink);
  expect(got.slice(0, 4)).toEqual(["open", "1.3", [3, "1.3"], "end"]);
  expect(asked.map(({ url }) => url)).toEqual(Array(2).fill("/api/sessions/demo.fix/events?last=262144"));
  expect(asked.map(({ headers }) => headers["last-event-id"])).toEqual([undefined, "1.2"]);
});

it("reads an older part, and where the one before it ends", async () => {
  answering(`${older}${event(3)}${event(4)}${end}`);
  const part = await readOlderPart("demo.fix", "1.5");
  expect([part.events.map(({ seq }) => seq), part.before]).toEqual([[3, 4], "1.3"]);
  expect(asked[0]!.url).toBe("/api/sessions/demo.fix/events?last=262144&before=1.5");
  answering(`${event(1)}${end}`);
  expect((await readOlderPart("demo.fix", "1.3")).before).toBeUndefined();
});

it.each([
  ["that breaks off", event(3), 200, { status: 0, message: "the connection was lost" }],
  ["that is refused", '{"error":"no","code":"Forbidden"}', 403, { status: 403, message: "no" }],
  ["that fails", "<html>", 502, { status: 502, message: "the gateway answered 502" }],
])("gives nothing of a part %s", async (_name, body, status, want) => {
  answering(body, status);
  const failed = await readOlderPart("demo.fix", "1.5").catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(Problem);
  expect(failed).toMatchObject(want);
});
