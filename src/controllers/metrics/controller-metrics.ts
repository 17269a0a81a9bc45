import { Gauge, type Registry } from "prom-client";

/** State of the controllers that gauges show. */
export interface ControllerState {
  /** How many automations are paused, by reason. */
  pausedAutomations(): ReadonlyMap<string, number>;
  isLeading(): boolean;
  /** How many Runs have not ended although their deadline has long passed. */
  overdueRuns(): number;
  /** Of the class that is fullest, the share of its places that is taken: 1 = full. */
  fullestClass(): number;
  /** How many sessions wait for a place in their class. */
  queuedSessions(): number;
  /** Of how many sessions the last save of their workspace failed. */
  unsavedSessions(): number;
}

/** Defines the gauges of the controllers as a whole; `state` is read at each scrape. */
export function defineControllerMetrics(registry: Registry, state: ControllerState): void {
  const registers = [registry];
  new Gauge({
    name: "runwright_automations_paused",
    help: "Automations that start nothing, by reason: Suspended or TooManyFailures",
    labelNames: ["reason"],
    registers,
    collect() {
      for (const [reason, count] of state.pausedAutomations()) this.set({ reason }, count);
    },
  });
  const gauges: { name: string; help: string; value: () => number }[] = [
    {
      name: "runwright_controller_leading",
      help: "1 on the replica that leads, 0 on those that stand by",
      value: () => (state.isLeading() ? 1 : 0),
    },
    {
      name: "runwright_runs_overdue",
      help: "Runs that have not ended although their deadline passed over a minute ago",
      value: () => state.overdueRuns(),
    },
    {
      name: "runwright_sandbox_class_used_ratio",
      help: "Of the SandboxClass that is fullest, the share of maxSandboxes that is taken: 1 = full",
      value: () => state.fullestClass(),
    },
    {
      name: "runwright_sessions_queued",
      help: "Sessions that wait for a place in their SandboxClass",
      value: () => state.queuedSessions(),
    },
    {
      name: "runwright_sessions_unsaved",
      help: "Sessions whose sandbox is up and whose workspace could not be saved at the last try",
      value: () => state.unsavedSessions(),
    },
  ];
  for (const { name, help, value } of gauges) {
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(value());
      },
    });
  }
}
