import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";

import { afterEach, beforeEach, expect, it } from "vitest";

import { Refusal } from "../../domain/deliveries/refusal.ts";
import { BodyBudget } from "../../lib/body-budget.ts";
import { readSignedBody } from "./signed-body.ts";

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** Bytes that were taken as not proven. */
let unproven = 0;
beforeEach(() => (unproven = 0));

const sign = (body: Buffer): string => createHmac("sha256", "s").update(body).digest("hex");

/** Sends a body to a server that reads it within the budget; gives what came of it. */
async function read(budget: BodyBudget, body: Buffer, signature = sign(body)): Promise<string> {
  const outcome = Promise.withResolvers<string>();
  const server = createServer((incoming, response) => {
    const options = {
      budget,
      sharer: "shop",
      unproven: {
        add(bytes: number) {
          unproven += bytes;
          return undefined;
        },
      },
      longestBytes: 1_000,
      signature,
      secrets: ["other", "s"],
    };
    readSignedBody(incoming, options)
      .then(
        (bytes) => outcome.resolve(`${bytes.length} bytes`),
        (error: unknown) => outcome.resolve(error instanceof Refusal ? (error.why ?? error.code) : String(error)),
      )
      .finally(() => response.end());
  });
  server.listen(0);
  await once(server, "listening");
  closers.push(() => server.close());
  const sent = request({ port: (server.address() as AddressInfo).port, method: "POST" });
  sent.on("error", () => undefined);
  sent.end(body);
  return outcome.promise;
}

it.each([
  { left: 21, want: "10 bytes" },
  { left: 20, want: "10 bytes" },
  { left: 19, want: "body-budget" },
])("a body of 10 bytes where all who share have room for $left is: $want", async ({ left, want }) => {
  const budget = new BodyBudget({ mostBytes: left });
  expect(await read(budget, Buffer.alloc(10, "a"))).toBe(want);
  expect(budget.taken).toBe(0);
});

it("gives the room back after a body that is too large", async () => {
  const budget = new BodyBudget({ mostBytes: 5_000 });
  expect(await read(budget, Buffer.alloc(1_001, "a"))).toBe("PayloadTooLarge");
  expect(budget.taken).toBe(0);
});

it.each([
  { name: "none of any body", signature: "zz", bytes: 1_000, want: "WrongKey" },
  { name: "a byte short", signature: "00".repeat(31), bytes: 1_000, want: "WrongKey" },
  { name: "none of any body, which is too large besides", signature: "zz", bytes: 1_001, want: "PayloadTooLarge" },
  { name: "of another body", signature: "00".repeat(32), bytes: 1, want: "WrongKey" },
])("takes no room for a body whose signature is $name", async ({ signature, bytes, want }) => {
  expect(await read(new BodyBudget({ mostBytes: 2 }), Buffer.alloc(bytes, "a"), signature)).toBe(want);
});

it.each([{ signature: "zz" }, { signature: "00".repeat(32) }, { signature: undefined }])(
  "counts each byte as not proven while it is read, with the signature $signature",
  async ({ signature }) => {
    await read(new BodyBudget(), Buffer.alloc(1_000, "a"), signature);
    expect(unproven).toBe(1_000);
  },
);
