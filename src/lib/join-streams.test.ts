import { duplexPair } from "node:stream";
import { buffer } from "node:stream/consumers";
import { once } from "node:events";
import { expect, it } from "vitest";
import { join } from "./join-streams.ts";

it("passes all on and then the end, although the far side is slow and the near side is gone by then", async () => {
  const [person, near] = duplexPair();
  const [far, server] = duplexPair();
  join(near, far);
  const said = Buffer.alloc(1_000_000, "x");
  server.end(said);
  server.resume();
  person.end();
  expect((await buffer(person)).equals(said)).toBe(true);
});

it("breaks one when the other breaks", async () => {
  const [, near] = duplexPair();
  const [far] = duplexPair();
  join(near, far);
  const closed = once(near, "close");
  far.destroy(new Error("broken"));
  await closed;
  expect(near.destroyed).toBe(true);
});
