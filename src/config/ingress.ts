import { readHasConnector } from "./agreed-variables.ts";
import { EnvironmentReader } from "./environment-reader.ts";
import type { Environment } from "./operator-settings.ts";

export interface IngressConfig {
  port: number;
  /** Whether the release has a connector; without one, events of Integrations are not taken. */
  hasConnector: boolean;
}

/** @throws ConfigError when a variable cannot be used. */
export function readIngressConfig(environment: Environment): IngressConfig {
  const read = new EnvironmentReader(environment);
  return { port: read.integer("RUNWRIGHT_INGRESS_PORT", 8080, 0, 65_535), hasConnector: readHasConnector(read) };
}
