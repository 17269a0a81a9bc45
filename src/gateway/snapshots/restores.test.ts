import { Duplex, Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { beforeEach, expect, it } from "vitest";
import { aSession } from "../../../test/support/builders.ts";
import { FakeClock } from "../../lib/fake-clock.ts";
import { stillMs } from "../../lib/unless-still.ts";
import { createLogger } from "../../telemetry/logger.ts";
import { Restores } from "./restores.ts";

const attempt = { name: "s1-2", namespace: "demo", session: "fix", sessionUid: "s1", attempt: 2 };
type Deps = ConstructorParameters<typeof Restores>[0];

/** What was opened in the blob store. */
let contents: Readable[];
let clock: FakeClock;
beforeEach(() => {
  clock = new FakeClock();
  contents = [];
});

/** A runtime's end of a stream, which says nothing; with a number, it breaks off at that write. */
function aStream(breaksAt = Infinity): { stream: Duplex; closed: Promise<string> } {
  const written: string[] = [];
  const { promise: closed, resolve } = Promise.withResolvers<string>();
  const stream = new Duplex({
    read: () => undefined,
    write(chunk: Buffer, _encoding, done) {
      written.push(chunk.toString());
      done(written.length >= breaksAt ? new Error("broke off") : null);
    },
  });
  stream.on("error", () => undefined);
  stream.once("close", () => resolve(written.join("")));
  return { stream, closed };
}

function restoresBy(open: () => Promise<Duplex>, read: Deps["archives"]["read"] = aBlob): Restores {
  const session = aSession({ metadata: { uid: "s1" } });
  return new Restores({
    clock,
    logger: createLogger({ process: "gateway", level: "fatal" }),
    archives: { read },
    streams: { open },
    owner: () => session,
    runtime: () => ({}) as never,
  });
}

function aBlob(): ReturnType<Deps["archives"]["read"]> {
  const content = Readable.from([Buffer.from("abc")]);
  contents.push(content);
  return Promise.resolve({ size: 3, content });
}

it("closes the stream of a workspace that was given back, all of it", async () => {
  const { stream, closed } = aStream();
  restoresBy(() => Promise.resolve(stream)).begin(attempt);
  expect(await closed).toMatch(/^abc\n?runwright:whole\n$/);
});

it("closes the stream of a workspace that could not be given back", async () => {
  const { stream, closed } = aStream(1);
  restoresBy(() => Promise.resolve(stream)).begin(attempt);
  await closed;
  expect(stream.destroyed).toBe(true);
});

it("leaves nothing of the blob store open where the runtime does not dial", async () => {
  const opened = Promise.withResolvers<Duplex>();
  restoresBy(() => opened.promise).begin(attempt);
  await setImmediate();
  opened.reject(new Error("silent"));
  await setImmediate();
  expect(contents.filter(({ destroyed }) => !destroyed)).toEqual([]);
});

it("does not say that all was sent where the blob store does not answer", async () => {
  const { stream, closed } = aStream();
  const down = (): Promise<never> => Promise.reject(new Error("down"));
  restoresBy(() => Promise.resolve(stream), down).begin(attempt);
  expect(await closed).toBe("");
});

it("gives a runtime up that takes nothing for 60 s, and it may ask again", async () => {
  const stuck = new Duplex({ read: () => undefined, write: () => undefined, highWaterMark: 1 });
  let opened = 0;
  const restores = restoresBy(() => Promise.resolve(((opened += 1), stuck)));
  restores.begin(attempt);
  await setImmediate();
  clock.advance(stillMs - 1);
  expect(stuck.destroyed).toBe(false);
  clock.advance(1);
  await setImmediate();
  expect(stuck.destroyed).toBe(true);
  restores.begin(attempt);
  expect(opened).toBe(2);
});

it("gives an attempt one restore at a time, and others theirs", async () => {
  let opened = 0;
  const first = Promise.withResolvers<Duplex>();
  const restores = restoresBy(() => {
    opened += 1;
    return first.promise;
  });
  restores.begin(attempt);
  restores.begin(attempt);
  expect(opened).toBe(1);
  restores.begin({ ...attempt, name: "s2-1" });
  expect(opened).toBe(2);
  first.reject(new Error("silent"));
  await setImmediate();
  restores.begin(attempt);
  expect(opened).toBe(3);
});
