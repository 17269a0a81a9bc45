import { Gauge, type Registry } from "prom-client";

/** State of the gateway's servers, read at each scrape. */
export interface ServingState {
  /** Open TCP connections of each port, including those of streams and requests of sandboxes. */
  connections(): Promise<Record<"sandbox" | "people", number>>;
  /** Limit of each port. */
  mostConnections: number;
  /** When the certificate in use expires, in milliseconds since 1970; undefined before there is one. */
  certificateEndMs(): number | undefined;
}

/** Defines the gauges on the registry. */
export function defineServingMetrics(registry: Registry, state: ServingState): void {
  const registers = [registry];
  new Gauge({
    name: "runwright_gateway_connections",
    help: "Open connections by port: sandbox or people",
    labelNames: ["port"],
    registers,
    async collect() {
      const { sandbox, people } = await state.connections();
      this.set({ port: "sandbox" }, sandbox);
      this.set({ port: "people" }, people);
    },
  });
  new Gauge({
    name: "runwright_gateway_connections_limit",
    help: "Connections that each port takes; more are dropped",
    registers,
  }).set(state.mostConnections);
  new Gauge({
    name: "runwright_gateway_certificate_expiration_timestamp_seconds",
    help: "When the certificate in use expires, in seconds since 1970; absent before there is one",
    registers,
    collect() {
      const endMs = state.certificateEndMs();
      if (endMs === undefined) this.remove();
      else this.set(endMs / 1_000);
    },
  });
}
