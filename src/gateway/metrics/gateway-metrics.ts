import { Gauge, type Registry } from "prom-client";
import { metricsOn } from "../../telemetry/metric-definitions.ts";
import { eventBounds } from "../../api/runtime/events-left-out.ts";
import { blobBounds } from "./blob-bounds.ts";
import { refusalReasons } from "./refusals.ts";
import { sharedBudgets } from "./shared-budgets.ts";

/** Metrics of the gateway; label sets are closed, names of objects are never labels. */
export type GatewayMetrics = ReturnType<typeof defineGatewayMetrics>;

/** Seconds. REST requests end within 2.7, those of sandboxes within 20 except for large images. */
const durationBuckets = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 20];

const ignoredOf = ["message", "field", "order", "orderField"];

const retriedSteps = ["message", "events", "lease", "session"];

/** Defines the gateway's metrics on the registry; `connections` is called at each scrape. */
export function defineGatewayMetrics(registry: Registry, connections: () => number) {
  const { counter, counterFromZero, histogram } = metricsOn(registry);
  new Gauge({
    name: "runwright_gateway_sandbox_connections",
    help: "Sandboxes that are connected to this replica",
    registers: [registry],
    collect() {
      this.set(connections());
    },
  });
  return {
    upgrades: counter(["answer"], {
      name: "runwright_gateway_sandbox_upgrades_total",
      help: "Connection attempts of sandboxes by answer: admitted, retry, over, foreign, invalid",
    }),
    refusals: counterFromZero("reason", refusalReasons, {
      name: "runwright_gateway_sandbox_refusals_total",
      help: "Connections, upgrades and frames on the sandbox port that were refused, and what runtimes refused of their agents, by reason",
    }),
    closes: counter(["cause"], {
      name: "runwright_gateway_sandbox_closes_total",
      help: "Ended connections of sandboxes by cause",
    }),
    messages: counter(["type"], {
      name: "runwright_gateway_sandbox_messages_total",
      help: "Messages taken from sandboxes by type",
    }),
    ignored: counterFromZero("what", ignoredOf, {
      name: "runwright_gateway_sandbox_ignored_total",
      help: "What was ignored between this gateway and runtimes of other versions: messages of runtimes, those with a field that the gateway does not know, and orders, or those with a field, that runtimes do not know (message, field, order, orderField)",
    }),
    events: counter(["kind"], {
      name: "runwright_gateway_session_events_total",
      help: "Events of sessions by kind",
    }),
    outcomes: counter(["settlement"], {
      name: "runwright_gateway_prompt_outcomes_total",
      help: "Outcomes of prompts by what came of them: settled, late, repeated, ignored, refused",
    }),
    noRoom: counterFromZero("bound", blobBounds, {
      name: "runwright_gateway_blob_refusals_total",
      help: "Workspaces and images that were not stored, by the bound that they would have exceeded: session, namespace, total, volume or class",
    }),
    eventsDropped: counterFromZero("bound", eventBounds, {
      name: "runwright_gateway_events_dropped_total",
      help: "Events of sessions that were not kept, by the bound that left no room: session, namespace or total",
    }),
    overShare: counterFromZero("budget", sharedBudgets, {
      name: "runwright_gateway_share_refusals_total",
      help: `Requests that were refused, or saves that had to wait, as their namespace, address or session had its share, by what is shared: ${sharedBudgets.join(", ")}`,
    }),
    retries: counterFromZero("step", retriedSteps, {
      name: "runwright_gateway_retries_total",
      help: `Steps that failed for now and were tried again: ${retriedSteps.join(", ")}`,
    }),
    sandboxRequests: counter(["path", "status"], {
      name: "runwright_gateway_sandbox_requests_total",
      help: "Requests of sandboxes by path (/children, /credentials, /media, /skills) and status",
    }),
    imageRequests: counter(["status"], {
      name: "runwright_gateway_image_requests_total",
      help: "Requests of sandboxes for images of prompts by status",
    }),
    apiConnectionsDropped: counter([], {
      name: "runwright_gateway_people_connections_dropped_total",
      help: "Connections to the port of people that were dropped, as there were too many in all or from one address",
    }),
    apiRequests: counter(["route", "status"], {
      name: "runwright_gateway_people_requests_total",
      help: "Requests of people by route and status; of tunnels to sandboxes by its class, such as 2xx",
    }),
    sandboxDurations: histogram(["path"], durationBuckets, {
      name: "runwright_gateway_sandbox_request_duration_seconds",
      help: "Time to answer requests of sandboxes by path: /children, /credentials, /images, /media or /skills",
    }),
    apiDurations: histogram(["method"], durationBuckets, {
      name: "runwright_gateway_people_request_duration_seconds",
      help: "Time to answer requests of people to the API by method: GET, POST or other; streams of events and tunnels are left out",
    }),
  };
}
