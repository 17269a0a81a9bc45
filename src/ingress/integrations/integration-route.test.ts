import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";

import { expect, it, vi } from "vitest";

import type { Integration } from "../../api/v1alpha1/index.ts";
import { BodyBudget } from "../../lib/body-budget.ts";
import { FakeClock } from "../../lib/fake-clock.ts";
import { RateLimits } from "../rate-limits.ts";
import { githubProtocol } from "./github-protocol.ts";
import { acceptEvents, type IntegrationRouteDeps } from "./integration-route.ts";
import { BytePace } from "../../lib/byte-pace.ts";

const metadata = { namespace: "shop", name: "github", uid: "u" };
const header = "x-hub-signature-256";

/** Sends a body, which will be refused, to an Integration of which no byte may be read without a wait. */
function send(bytes: number, headers: Record<string, string>) {
  const clock = new FakeClock();
  const deps: IntegrationRouteDeps = {
    integrations: {
      read: () =>
        Promise.resolve({
          integration: { metadata, spec: { type: "GitHub" } } as Integration,
          signingSecrets: ["s"],
        }),
    },
    events: { store: () => Promise.reject(new Error("nothing is stored of what is refused")) },
    automations: { wantedEvents: () => new Set(), wantedChannels: () => new Set() },
    bodies: new BodyBudget(),
    unproven: new BytePace(clock, { burst: 0, perSecond: 1_000 }),
    requests: new RateLimits(clock),
    clock,
    random: { bytes: (count) => Buffer.alloc(count) },
    observer: { answered: () => undefined },
  };
  const body = Readable.from([Buffer.alloc(bytes, "a")]);
  const sent = { method: "POST", headers: { ...headers, "content-length": String(bytes) }, complete: false };
  const refused = acceptEvents(deps, Object.assign(body, sent) as unknown as IncomingMessage, {
    idText: "shop.github",
    read: { bytes: 0 },
    protocol: githubProtocol,
  });
  return { clock, refused };
}

it.each([
  { name: "a wrong signature", signature: "0".repeat(64), bytes: 66_536, code: "WrongKey", waitedMs: 4_000 },
  { name: "what can be no signature", signature: "zz", bytes: 66_536, code: "WrongKey", waitedMs: 4_000 },
  { name: "no signature", signature: undefined, bytes: 5_000, code: "MissingKey", waitedMs: 5_000 },
])("a body with $name is refused once its Integration may be read on", async ({ signature, bytes, code, waitedMs }) => {
  const { clock, refused } = send(bytes, signature === undefined ? {} : { [header]: `sha256=${signature}` });
  const isRefused = vi.fn();
  const ended = refused.catch(isRefused);
  await vi.waitFor(() => expect(clock.timers).toBeGreaterThan(0));
  expect(isRefused).not.toHaveBeenCalled();
  while (clock.timers > 0) {
    clock.advance(1_000);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await ended;
  expect(isRefused).toHaveBeenCalledWith(expect.objectContaining({ code }));
  expect(clock.monotonicMs()).toBe(waitedMs);
});
