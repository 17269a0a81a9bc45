import { Gauge, type Registry } from "prom-client";

/** What the gateway's servers say of themselves when they are asked. */
export interface ServingState {
  /** TCP connections of each port, those of sandboxes' streams and requests included. */
  connections(): Promise<Record<"sandbox" | "people", number>>;
  /** How many each port takes. */
  mostConnections: number;
  /** When the certificate in use is over, in milliseconds since 1970; undefined before there is one. */
  certificateEndMs(): number | undefined;
}

/** Defines the gauges on the registry; `state` is read at each scrape. */
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
    help: "When the certificate in use is over, in seconds since 1970; absent before there is one",
    registers,
    collect() {
      const endMs = state.certificateEndMs();
      if (endMs === undefined) this.remove();
      else this.set(endMs / 1_000);
    },
  });
}
