import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import { refusalReasons } from "./refusals.ts";

/** Metrics of the gateway; label sets are closed, names of objects are never labels. */
export interface GatewayMetrics {
  upgrades: Counter<"answer">;
  refusals: Counter<"reason">;
  closes: Counter<"cause">;
  messages: Counter<"type">;
  events: Counter<"kind">;
  outcomes: Counter<"settlement">;
  retries: Counter<"step">;
  sandboxRequests: Counter<"path" | "status">;
  imageRequests: Counter<"status">;
  apiRequests: Counter<"route" | "status">;
  sandboxDurations: Histogram<"path">;
  apiDurations: Histogram<"method">;
}

/** Seconds. REST requests end within 2.7, those of sandboxes within 20 except for large images. */
const durationBuckets = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 20];

/** Defines the gateway's metrics on the registry; `connections` is called at each scrape. */
export function defineGatewayMetrics(registry: Registry, connections: () => number): GatewayMetrics {
  const registers = [registry];
  new Gauge({
    name: "runwright_gateway_sandbox_connections",
    help: "Sandboxes that are connected to this replica",
    registers,
    collect() {
      this.set(connections());
    },
  });
  return {
    upgrades: new Counter({
      name: "runwright_gateway_sandbox_upgrades_total",
      help: "Connection attempts of sandboxes by answer: admitted, retry, over, foreign, invalid",
      labelNames: ["answer"],
      registers,
    }),
    refusals: defineRefusals(registers),
    closes: new Counter({
      name: "runwright_gateway_sandbox_closes_total",
      help: "Ended connections of sandboxes by cause",
      labelNames: ["cause"],
      registers,
    }),
    messages: new Counter({
      name: "runwright_gateway_sandbox_messages_total",
      help: "Messages taken from sandboxes by type",
      labelNames: ["type"],
      registers,
    }),
    events: new Counter({
      name: "runwright_gateway_session_events_total",
      help: "Events of sessions by kind",
      labelNames: ["kind"],
      registers,
    }),
    outcomes: new Counter({
      name: "runwright_gateway_prompt_outcomes_total",
      help: "Outcomes of prompts by what came of them: settled, late, repeated, ignored, refused",
      labelNames: ["settlement"],
      registers,
    }),
    retries: defineRetries(registers),
    sandboxRequests: new Counter({
      name: "runwright_gateway_sandbox_requests_total",
      help: "Requests of sandboxes by path (/children, /credentials) and status",
      labelNames: ["path", "status"],
      registers,
    }),
    imageRequests: new Counter({
      name: "runwright_gateway_image_requests_total",
      help: "Requests of sandboxes for images of prompts by status",
      labelNames: ["status"],
      registers,
    }),
    apiRequests: new Counter({
      name: "runwright_gateway_people_requests_total",
      help: "Requests of people by route and status; of tunnels to sandboxes by its class, such as 2xx",
      labelNames: ["route", "status"],
      registers,
    }),
    sandboxDurations: new Histogram({
      name: "runwright_gateway_sandbox_request_duration_seconds",
      help: "Time to answer requests of sandboxes by path: /children, /credentials or /images",
      labelNames: ["path"],
      buckets: durationBuckets,
      registers,
    }),
    apiDurations: new Histogram({
      name: "runwright_gateway_people_request_duration_seconds",
      help: "Time to answer requests of people to the API by method: GET, POST or other; streams of events and tunnels are left out",
      labelNames: ["method"],
      buckets: durationBuckets,
      registers,
    }),
  };
}

function defineRetries(registers: Registry[]): Counter<"step"> {
  const steps = ["message", "events", "lease", "session"];
  const retries = new Counter({
    name: "runwright_gateway_retries_total",
    help: `Steps that failed for now and were tried again: ${steps.join(", ")}`,
    labelNames: ["step"],
    registers,
  });
  for (const step of steps) retries.inc({ step }, 0);
  return retries;
}

function defineRefusals(registers: Registry[]): Counter<"reason"> {
  const refusals = new Counter({
    name: "runwright_gateway_sandbox_refusals_total",
    help: "Connections, upgrades and frames on the sandbox port that were refused, and what runtimes refused of their agents, by reason",
    labelNames: ["reason"],
    registers,
  });
  // Start at 0: Prometheus sees no increase when a series first appears.
  for (const reason of refusalReasons) refusals.inc({ reason }, 0);
  return refusals;
}
