import type { IncomingMessage, ServerResponse } from "node:http";
import { PassThrough } from "node:stream";

import { beforeEach, expect, it } from "vitest";

import { aSession } from "../../../test/support/builders.ts";
import { FakeClock } from "../../lib/fake-clock.ts";
import { parseTunnelPath } from "./tunnel-path.ts";
import { type TunnelDeps, Tunnels } from "./tunnels.ts";

const url = "/sessions/demo.fix/tunnels/3000/";

let clock: FakeClock;
/** What was opened for callers. */
let opened: string[];
/** Ends while the caller is authorized. */
let near: PassThrough;
let tunnels: Tunnels;

beforeEach(() => {
  [clock, opened, near] = [new FakeClock(), [], new PassThrough()];
  const session = aSession({
    metadata: { namespace: "demo", name: "fix", uid: "u" },
    status: { sandbox: { attempt: 1, tunnels: [{ port: 3000 }] } } as never,
  });
  const deps = {
    clock,
    budgetMs: 1_000,
    callers: {
      identify: () => Promise.resolve({}),
      async authorize() {
        near.destroy();
        await new Promise((resolve) => near.once("close", resolve));
      },
    },
    sessions: { byName: () => session },
    streams: {
      open() {
        opened.push("stream");
        return Promise.resolve(new PassThrough());
      },
    },
    toReplica() {
      opened.push("replica");
      return Promise.resolve(undefined);
    },
    requestHeaders: [],
  };
  tunnels = new Tunnels({
    ...deps,
    runtime: () => (isHere ? { sessionUid: "u" } : undefined),
  } as unknown as TunnelDeps);
});

let isHere = true;

it.each([true, false])("opens nothing for a caller who has gone meanwhile; its runtime is here: %s", async (here) => {
  isHere = here;
  const from = { url, headers: {}, rawHeaders: [] } as unknown as IncomingMessage;
  const asked = tunnels.request(parseTunnelPath(url)!, from, near as unknown as ServerResponse);
  await expect(asked).rejects.toMatchObject({ code: "InvalidRequest" });
  expect([opened, clock.timers]).toEqual([[], 0]);
});
