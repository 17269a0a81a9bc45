import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

import { aSession } from "../../test/support/builders.ts";
import type { Session } from "../../src/api/v1alpha1/index.ts";
import { keepOwnMetadata } from "../../src/domain/own-metadata.ts";
import { Cache, keptOf } from "../../src/kube/cache.ts";
import { describeMachine } from "../machine.ts";
import { parseOptions } from "./options.ts";

// npm run bench:memory -- [--output json] [--sessions N] [--annotation-bytes N]
const { sessions, annotationBytes, json } = parseOptions(process.argv.slice(2));

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** Bytes of the heap that a cache takes for each session, as a watch fills it: each object from the text that came over the wire. */
function cachedBytes(count: number, transform?: (session: Session) => Session): number {
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  const cache = new Cache<Session>({ transform });
  for (let index = 0; index < count; index += 1) {
    const object = JSON.parse(JSON.stringify(sessionOf(index))) as Session;
    cache.put(keptOf(object, { transform }));
  }
  collectGarbage();
  return Math.round((process.memoryUsage().heapUsed - before) / cache.size);
}

function sessionOf(index: number): Session {
  const name = `session-${index}`;
  // Of each another one, as equal texts could be shared.
  const note = String(index).padEnd(annotationBytes, "x");
  return aSession({
    metadata: { name, namespace: "tenant", uid: name, resourceVersion: "1", annotations: { "example.com/note": note } },
  });
}

const toMiB = (bytes: number): number => Math.round(bytes / 2 ** 20);
const each = cachedBytes(sessions, keepOwnMetadata);
// All of them would not fit.
const wholeEach = cachedBytes(Math.min(sessions, 100));
const document = {
  machine: await describeMachine(),
  sessions,
  annotationBytes,
  cachedBytesEach: each,
  cachedMiB: toMiB(each * sessions),
  /** Of the same objects with all their metadata. */
  baseline: { cachedBytesEach: wholeEach, cachedMiB: toMiB(wholeEach * sessions) },
};
process.stdout.write(`${JSON.stringify(document, undefined, json ? undefined : 2)}\n`);
