import type { Bound, Costs, Demand } from "./model.ts";

const kibibyte = 2 ** 10;
const mebibyte = 2 ** 20;
const gibibyte = 2 ** 30;

/**
 * As measured on 2 CPUs, most of it beside other work; docs/operate/scale.md names the command of each. Bytes of a live Run
 * in the controller are the target of 15 MB for 1,000, which no run has confirmed, and in etcd twice its history.
 */
export const measuredCosts: Costs = {
  run: { writes: 16, events: 3, controllerCpuMs: 31, apiServerCpuMs: 117, ingressCpuMs: 1.3 },
  live: { controllerBytes: 15_000, gatewayBytes: 156 * kibibyte, etcdBytes: 28_000 },
  beat: { everySeconds: 30, gatewayCpuMs: 2.5 },
  event: { gatewayCpuMs: 0.46, blobBytes: 330 },
  history: { etcdBytes: 1_400_000 },
  archive: { rowsEachRun: 6, cpuMsEachRow: 0.05, bytesEachRun: 1_358 },
  idle: { controllerBytes: 110 * mebibyte },
};

/** Writes a second at client-go's best rate of creates on the 2 CPUs that it shared with the API server. */
const apiServerWritesPerSecond = 430;

/** What an installation with the chart's defaults has of each, and what moves it. */
export const bounds: readonly Bound[] = [
  {
    name: "CPU of the controller that leads",
    of: ({ controllerCpus }) => controllerCpus,
    most: 1,
    knob: "a release for each group of namespaces",
  },
  {
    name: "memory of the controller",
    of: ({ controllerBytes }) => controllerBytes,
    most: 512 * mebibyte,
    knob: "`controller.resources`",
  },
  {
    name: "memory of the gateways",
    of: ({ gatewayBytes }) => gatewayBytes,
    most: 512 * mebibyte,
    knob: "`gateway.replicas`",
  },
  {
    name: "CPU of the gateways",
    of: ({ gatewayCpus }) => gatewayCpus,
    most: 1,
    knob: "`gateway.replicas`",
  },
  {
    name: "writes of the API server",
    of: ({ writesPerSecond }) => writesPerSecond,
    most: apiServerWritesPerSecond,
    knob: "CPUs and disks of the control plane",
  },
  {
    name: "etcd",
    of: ({ etcdBytes }) => etcdBytes,
    most: 2 * gibibyte,
    knob: "etcd's quota, 8 GiB at most; `history`",
  },
  {
    name: "sandboxes of a class",
    of: (_prediction, { sandboxes }) => sandboxes,
    most: 100_000,
    knob: "several classes",
  },
  {
    name: "pods of a cluster",
    of: (_prediction, { sandboxes }) => sandboxes,
    most: 150_000,
    knob: "another cluster",
  },
];

/** Runs of ten minutes that say ten things a minute, and an Automation for each 20 sandboxes. */
export function usualDemand(sandboxes: number): Demand {
  return { sandboxes, runMinutes: 10, eventsPerMinute: 10, automations: sandboxes / 20 };
}
