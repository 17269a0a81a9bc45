import { type Panel, quantile, rate } from "./dashboard.ts";

/** Rate, errors and duration of what people wait for, then the resources that each process uses. */
export const overviewPanels: readonly Panel[] = [
  {
    title: "Deliveries by status",
    unit: "reqps",
    lines: [{ expr: rate("runwright_ingress_requests_total", "status"), legend: "{{status}}" }],
  },
  {
    title: "Deliveries not taken, by cause",
    unit: "reqps",
    lines: [{ expr: rate('runwright_ingress_requests_total{status=~"429|5.."}', "cause"), legend: "{{cause}}" }],
  },
  {
    title: "Time to answer a delivery",
    unit: "s",
    lines: [
      { expr: quantile(0.5, "runwright_ingress_request_duration_seconds", ""), legend: "p50" },
      { expr: quantile(0.99, "runwright_ingress_request_duration_seconds", ""), legend: "p99" },
    ],
  },
  {
    title: "Runs ended, by reason",
    unit: "ops",
    lines: [{ expr: rate("runwright_runs_ended_total", "reason"), legend: "{{reason}}" }],
  },
  {
    title: "Failed Runs, by whose failure",
    unit: "ops",
    lines: [{ expr: rate('runwright_runs_ended_total{failure_of!=""}', "failure_of"), legend: "{{failure_of}}" }],
  },
  {
    title: "Paused automations",
    unit: "short",
    lines: [{ expr: "max by (reason) (runwright_automations_paused)", legend: "{{reason}}" }],
  },
  {
    title: "Connected sandboxes",
    unit: "short",
    lines: [{ expr: "sum(runwright_gateway_sandbox_connections)", legend: "connected" }],
  },
  {
    title: "Sandbox connections ended, by cause",
    unit: "ops",
    lines: [{ expr: rate("runwright_gateway_sandbox_closes_total", "cause"), legend: "{{cause}}" }],
  },
  {
    title: "Requests of people, by status",
    unit: "reqps",
    lines: [{ expr: rate("runwright_gateway_people_requests_total", "status"), legend: "{{status}}" }],
  },
  {
    title: "Time of a reconcile, p99",
    unit: "s",
    lines: [
      {
        expr: quantile(0.99, "runwright_controller_reconcile_duration_seconds", "controller, "),
        legend: "{{controller}}",
      },
    ],
  },
  {
    title: "Wait for a worker, p99",
    unit: "s",
    lines: [
      { expr: quantile(0.99, "runwright_controller_queue_wait_seconds", "controller, "), legend: "{{controller}}" },
    ],
  },
  {
    title: "Writes to the API server that failed, by status",
    unit: "ops",
    lines: [
      {
        expr: rate('runwright_controller_api_writes_total{status!~"2.."}', "resource, status"),
        legend: "{{resource}} {{status}}",
      },
    ],
  },
];
