import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";

import express from "express";
import { Registry } from "prom-client";
import { afterEach, beforeEach, expect, it } from "vitest";

import { imageLimits } from "../../../api/v1alpha1/index.ts";
import { BodyBudget } from "../../../lib/body-budget.ts";
import { FakeClock } from "../../../lib/fake-clock.ts";
import { defineGatewayMetrics } from "../../metrics/gateway-metrics.ts";
import { imageRoutes } from "./image-upload.ts";

let clock: FakeClock;
let server: Server;

beforeEach(async () => {
  clock = new FakeClock();
  const app = express();
  const session = (_resource: unknown, { namespace }: { namespace?: string | undefined }): object => {
    return { metadata: { namespace, name: "chat", uid: "session-1" }, spec: {} };
  };
  app.use(
    imageRoutes({
      callers: {
        identify: () => Promise.resolve({ username: "ann", uid: undefined, groups: [], extra: {} }),
        authorize: () => Promise.resolve(),
      },
      client: { find: ((...asked: Parameters<typeof session>) => Promise.resolve(session(...asked))) as never },
      lists: {} as never,
      images: { store: () => Promise.resolve({ digest: "sha256:0", mediaType: "image/png" }) },
      clock,
      metrics: defineGatewayMetrics(new Registry(), () => 0),
      budgetMs: 1_000,
      bodies: new BodyBudget(),
    }),
  );
  server = app.listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const image = new Uint8Array(imageLimits.bytes);

async function upload(namespace: string): Promise<number> {
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/sessions/${namespace}.chat/images`;
  return (await fetch(url, { method: "POST", body: image })).status;
}

it("reads three images of a namespace at once, and has the next one wait, but those of no other", async () => {
  for (let count = 0; count < 3; count += 1) expect(await upload("shop")).toBe(201);
  let fourth: number | undefined;
  const uploaded = upload("shop").then((status) => (fourth = status));
  await expect.poll(() => clock.timers).toBe(1);
  expect(await upload("other")).toBe(201);
  expect(fourth).toBeUndefined();
  await expect
    .poll(() => {
      clock.advance(100);
      return fourth;
    })
    .toBe(201);
  await uploaded;
});
