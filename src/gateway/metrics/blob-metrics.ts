import { Gauge, type Registry } from "prom-client";

interface Use {
  used: number;
  bound: number;
}

/** Defines the gauges on the registry; `total` is read at each scrape, in bytes. */
export function defineBlobMetrics(registry: Registry, total: () => Use & { events: Use }): void {
  const registers = [registry];
  new Gauge({
    name: "runwright_gateway_blob_bytes",
    help: "Bytes of saved workspaces and images in the blob store, as this replica knows them",
    registers,
    collect() {
      this.set(total().used);
    },
  });
  new Gauge({
    name: "runwright_gateway_blob_budget_bytes",
    help: "Bytes that saved workspaces and images may have of the blob store; absent without a bound",
    registers,
    collect() {
      const { bound } = total();
      if (Number.isFinite(bound)) this.set(bound);
      else this.remove();
    },
  });
  new Gauge({
    name: "runwright_gateway_event_bytes",
    help: "Bytes of events of sessions in the blob store, as this replica knows them, with 4 KiB for each blob",
    registers,
    collect() {
      this.set(total().events.used);
    },
  });
  new Gauge({
    name: "runwright_gateway_event_budget_bytes",
    help: "Bytes that events of sessions may have of the blob store; absent without a bound",
    registers,
    collect() {
      const { bound } = total().events;
      if (Number.isFinite(bound)) this.set(bound);
      else this.remove();
    },
  });
}
