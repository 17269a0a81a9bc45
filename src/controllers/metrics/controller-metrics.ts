import { Gauge, type Registry } from "prom-client";

/** State of the controllers that gauges show. */
export interface ControllerState {
  isLeading(): boolean;
  overdueRuns(): number;
  /** 1 = every place of some SandboxClass is taken. */
  fullestClass(): number;
  queuedSessions(): number;
}

/** Defines the gauges of the controllers as a whole; `state` is read at each scrape. */
export function defineControllerMetrics(registry: Registry, state: ControllerState): void {
  const registers = [registry];
  new Gauge({
    name: "runwright_controller_leading",
    help: "1 on the replica that leads, 0 on those that stand by",
    registers,
    collect() {
      this.set(state.isLeading() ? 1 : 0);
    },
  });
  new Gauge({
    name: "runwright_runs_overdue",
    help: "Runs that have not ended although their deadline passed over a minute ago",
    registers,
    collect() {
      this.set(state.overdueRuns());
    },
  });
  new Gauge({
    name: "runwright_sandbox_class_used_ratio",
    help: "Of the SandboxClass that is fullest, the share of maxSandboxes that is taken: 1 = full",
    registers,
    collect() {
      this.set(state.fullestClass());
    },
  });
  new Gauge({
    name: "runwright_sessions_queued",
    help: "Sessions that wait for a place in their SandboxClass",
    registers,
    collect() {
      this.set(state.queuedSessions());
    },
  });
}
