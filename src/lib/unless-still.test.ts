import { PassThrough, Readable, Writable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { setImmediate } from "node:timers/promises";
import { expect, it } from "vitest";
import { FakeClock } from "./fake-clock.ts";
import { stillMs, unlessStill } from "./unless-still.ts";

it("ends a stream from which nothing comes for 60 s, and not one on which something moves", async () => {
  const clock = new FakeClock();
  const stream = new PassThrough();
  const read = buffer(unlessStill(stream, { stream, clock }));
  const failed = read.catch(messageOf);
  for (let piece = 0; piece < 3; piece += 1) {
    stream.write("x");
    await setImmediate();
    clock.advance(stillMs - 1);
    expect(stream.destroyed).toBe(false);
  }
  clock.advance(1);
  expect(await failed).toBe("nothing moved for 60 s");
});

it("ends a stream that takes nothing for 60 s", async () => {
  const clock = new FakeClock();
  const taken: (() => void)[] = [];
  const stream = new Writable({ highWaterMark: 1, write: (_chunk, _encoding, done) => void taken.push(done) });
  const source = Readable.from([Buffer.from("one"), Buffer.from("two"), Buffer.from("three")]);
  const failed = pipeline(unlessStill(source, { stream: stream as never, clock }), stream).catch(messageOf);
  await setImmediate();
  clock.advance(stillMs - 1);
  taken.shift()?.();
  await setImmediate();
  clock.advance(stillMs - 1);
  expect(stream.destroyed).toBe(false);
  clock.advance(1);
  expect(await failed).toBe("nothing moved for 60 s");
});

it("leaves a stream alone that came to its end", async () => {
  const clock = new FakeClock();
  const stream = new PassThrough();
  stream.end("all");
  expect(String(await buffer(unlessStill(stream, { stream, clock })))).toBe("all");
  expect(clock.timers).toBe(0);
});

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : "no error";
}
