import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

import type { Clock } from "../lib/clock.ts";
import type { Random } from "../lib/random.ts";
import { createIngressApp } from "./app.ts";
import { createIngressServer } from "./http-server.ts";
import type { AnswerObserver, AutomationReader, DeliveryLedger, DeliveryTraces, RunWriter } from "./ports.ts";
import { RateLimits } from "./rate-limits.ts";

export interface IngressDeps {
  /** 0 = any free one. */
  port: number;
  automations: AutomationReader;
  runs: RunWriter;
  ledger: DeliveryLedger;
  clock: Clock;
  random: Random;
  observer: AnswerObserver;
  traces?: DeliveryTraces | undefined;
}

export interface Ingress {
  port: number;
  /** For readiness: the reason why deliveries should go elsewhere, undefined when there is none. */
  notReadyBecause(): string | undefined;
  /**
   * Takes no more connections, answers what is under way, closes each connection after its answer and resolves then;
   * 10 s at most. Says not ready at once.
   */
  close(): Promise<void>;
}

const drainMs = 10_000;

/** Serves deliveries until closed. */
export async function startIngress({ port, ...deps }: IngressDeps): Promise<Ingress> {
  const { automations, clock } = deps;
  let isDraining = false;
  const app = createIngressApp({ ...deps, rateLimits: new RateLimits(clock) });
  const underWay = new Set<ServerResponse>();
  const server = createIngressServer((request, response) => {
    underWay.add(response);
    response.once("close", () => underWay.delete(response));
    response.shouldKeepAlive &&= !isDraining;
    app(request, response);
  });
  server.listen(port);
  await once(server, "listening");
  return {
    // A TCP server's address is never a pipe's name.
    port: (server.address() as AddressInfo).port,
    notReadyBecause: () => (isDraining ? "deliveries are being drained" : automations.notReadyBecause()),
    async close() {
      isDraining = true;
      // Whoever keeps its connection would come back to a process that is going away.
      for (const response of underWay) response.shouldKeepAlive = false;
      const closed = once(server, "close");
      server.close();
      server.closeIdleConnections();
      const timer = clock.setTimeout(() => server.closeAllConnections(), drainMs);
      await closed;
      timer.cancel();
    },
  };
}
