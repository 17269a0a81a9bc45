import { type Panel, quantile, rate } from "./dashboard.ts";

const perMethod = "runwright_gateway_people_request_duration_seconds";
const perPath = "runwright_gateway_sandbox_request_duration_seconds";

/** Requests of sandboxes and people to the gateway, its refusals and its backlog. */
export const gatewayPanels: readonly Panel[] = [
  {
    title: "Connected sandboxes, by replica",
    unit: "short",
    lines: [{ expr: "sum by (pod) (runwright_gateway_sandbox_connections)", legend: "{{pod}}" }],
  },
  {
    title: "Open connections, of those that a port takes",
    unit: "percentunit",
    lines: [
      {
        expr: "max by (port) (runwright_gateway_connections / on (namespace, pod) group_left () runwright_gateway_connections_limit)",
        legend: "{{port}}",
      },
    ],
  },
  {
    title: "Places taken in the fullest SandboxClass",
    unit: "percentunit",
    lines: [{ expr: "max(runwright_sandbox_class_used_ratio)", legend: "taken" }],
  },
  {
    title: "Sessions that wait for a place",
    unit: "short",
    lines: [{ expr: "max(runwright_sessions_queued)", legend: "waiting" }],
  },
  {
    title: "What sandboxes say, by type",
    unit: "ops",
    lines: [{ expr: rate("runwright_gateway_sandbox_messages_total", "type"), legend: "{{type}}" }],
  },
  {
    title: "Prompts that came to an end, by what came of it",
    unit: "ops",
    lines: [{ expr: rate("runwright_gateway_prompt_outcomes_total", "settlement"), legend: "{{settlement}}" }],
  },
  {
    title: "Requests of sandboxes, credentials among them",
    unit: "reqps",
    lines: [
      { expr: rate("runwright_gateway_sandbox_requests_total", "path, status"), legend: "{{path}} {{status}}" },
      { expr: rate("runwright_gateway_image_requests_total", "status"), legend: "/images {{status}}" },
    ],
  },
  {
    title: "Time to answer a sandbox, p99",
    unit: "s",
    lines: [{ expr: quantile(0.99, perPath, "path, "), legend: "{{path}}" }],
  },
  {
    title: "Time to answer a person, p99",
    unit: "s",
    lines: [{ expr: quantile(0.99, perMethod, "method, "), legend: "{{method}}" }],
  },
  {
    title: "Upgrades of sandboxes, by answer",
    unit: "ops",
    lines: [{ expr: rate("runwright_gateway_sandbox_upgrades_total", "answer"), legend: "{{answer}}" }],
  },
  {
    title: "Refused on the sandbox port, by reason",
    unit: "ops",
    lines: [{ expr: rate("runwright_gateway_sandbox_refusals_total", "reason"), legend: "{{reason}}" }],
  },
  {
    title: "Tried again: events is the blob store",
    unit: "ops",
    lines: [{ expr: rate("runwright_gateway_retries_total", "step"), legend: "{{step}}" }],
  },
  {
    title: "Events of sessions, by kind",
    unit: "ops",
    lines: [{ expr: rate("runwright_gateway_session_events_total", "kind"), legend: "{{kind}}" }],
  },
  {
    title: "Events that were not written, by reason",
    unit: "ops",
    lines: [{ expr: rate("runwright_events_dropped_total", "reason"), legend: "{{reason}}" }],
  },
  {
    title: "Time left of the certificate",
    unit: "s",
    lines: [
      { expr: "min(runwright_gateway_certificate_expiration_timestamp_seconds) - time()", legend: "until its end" },
    ],
  },
];
