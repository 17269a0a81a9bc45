import { once } from "node:events";
import type { RequestListener, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

import { createIngressApp, type IngressAppDeps } from "./app.ts";
import { BodyBudget } from "../lib/body-budget.ts";
import { BytePace } from "../lib/byte-pace.ts";
import { createIngressServer } from "./http-server.ts";
import type { ClusterAutomationReader } from "./cluster/automation-reader.ts";
import { RateLimits } from "./rate-limits.ts";
import type { EventWriter } from "./integrations/event-writer.ts";
import type { IntegrationReader } from "./integrations/integration-reader.ts";
import { unprovenPace } from "./integrations/unproven-body.ts";

/** What takes events of Integrations. */
export interface IntegrationIntake {
  reader: Pick<IntegrationReader, "read" | "notReadyBecause">;
  events: Pick<EventWriter, "store">;
}

export interface IngressDeps extends Omit<IngressAppDeps, "requests" | "bodies" | "integrations"> {
  /** 0 = any free one. */
  port: number;
  automations: Pick<ClusterAutomationReader, "read" | "notReadyBecause" | "wantedEvents" | "wantedChannels">;
  /** Absent where the release has no connector. */
  intake?: IntegrationIntake | undefined;
  /** Called for each connection that found no place. */
  onDropped?: (() => void) | undefined;
}

export interface Ingress {
  port: number;
  /** Why deliveries should go to another replica, for readiness; undefined when there is no reason. */
  notReadyBecause(): string | undefined;
  /**
   * Becomes not ready, accepts no more connections, answers requests under way and closes each connection after its
   * answer; resolves when all are closed, after 10 s at most.
   */
  close(): Promise<void>;
}

const drainMs = 10_000;

/** Serves deliveries until closed. */
export async function startIngress({ port, intake, onDropped, ...deps }: IngressDeps): Promise<Ingress> {
  const { automations, clock, random, observer } = deps;
  const integrations = intake && {
    integrations: intake.reader,
    automations,
    events: intake.events,
    bodies: new BodyBudget(),
    unproven: new BytePace(clock, unprovenPace),
    requests: new RateLimits(clock),
    clock,
    random,
    observer,
  };
  let isDraining = false;
  const app = createIngressApp({ ...deps, requests: new RateLimits(clock), bodies: new BodyBudget(), integrations });
  const underWay = new Set<ServerResponse>();
  const listener: RequestListener = (request, response) => {
    underWay.add(response);
    response.once("close", () => underWay.delete(response));
    response.shouldKeepAlive &&= !isDraining;
    app(request, response);
  };
  const server = createIngressServer({ listener, onDropped });
  server.listen(port);
  await once(server, "listening");
  return {
    // A TCP server's address is never a pipe's name.
    port: (server.address() as AddressInfo).port,
    notReadyBecause: () =>
      isDraining ? "deliveries are being drained" : (automations.notReadyBecause() ?? intake?.reader.notReadyBecause()),
    async close() {
      isDraining = true;
      // A kept connection would bring the next request to a process that ends.
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
