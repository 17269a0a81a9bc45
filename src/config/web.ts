import { dnsLabel } from "../lib/dns-label.ts";
import type { WebConfig } from "../web/start-web.ts";
import { ConfigError } from "./config-error.ts";
import { EnvironmentReader } from "./environment-reader.ts";
import type { Environment } from "./operator-settings.ts";

/** What the process `web` is started with. */
export interface WebProcessConfig extends WebConfig {
  logLevel: string;
  observabilityPort: number;
}

const path = { pattern: /^\//, what: "an absolute path" };
const pathOrNone = { pattern: /^(\/.*)?$/, what: "an absolute path, or empty" };
const namespaceOrNone = { pattern: new RegExp(`^(${dnsLabel})?$`), what: "the name of a namespace, or empty for all" };

/** @throws ConfigError when a variable cannot be used, or when there would be no way to sign in */
export function readWebConfig(environment: Environment): WebProcessConfig {
  const read = new EnvironmentReader(environment);
  const takesTokens = read.oneOf("RUNWRIGHT_WEB_TOKEN_SIGN_IN", "true", ["true", "false"]) === "true";
  const provider = readProvider(read);
  if (!takesTokens && !provider) {
    const must = "people must be able to sign in: set RUNWRIGHT_WEB_OIDC_ISSUER, or take tokens";
    throw new ConfigError("RUNWRIGHT_WEB_TOKEN_SIGN_IN", "false", must, "the default is true");
  }
  return {
    port: read.integer("RUNWRIGHT_WEB_PORT", 8080, 0, 65_535),
    gateway: {
      url: read.url("RUNWRIGHT_WEB_GATEWAY_URL", "https://runwright-gateway.runwright-system.svc:8444", ["https:"]),
      authoritiesFile: read.matching("RUNWRIGHT_WEB_GATEWAY_CA_FILE", path, "/var/run/runwright/gateway-ca/ca.crt"),
    },
    takesTokens,
    provider,
    namespace: read.matching("RUNWRIGHT_WEB_NAMESPACE", namespaceOrNone, ""),
    logLevel: read.logLevel(),
    observabilityPort: read.integer("RUNWRIGHT_OBSERVABILITY_PORT", 9090, 0, 65_535),
  };
}

function readProvider(read: EnvironmentReader): WebConfig["provider"] {
  if (read.text("RUNWRIGHT_WEB_OIDC_ISSUER", "") === "") return undefined;
  return {
    issuer: read.url("RUNWRIGHT_WEB_OIDC_ISSUER", "none", ["https:"]),
    clientId: read.text("RUNWRIGHT_WEB_OIDC_CLIENT_ID"),
    clientSecretFile: read.matching("RUNWRIGHT_WEB_OIDC_CLIENT_SECRET_FILE", pathOrNone, ""),
    scopes: read.text("RUNWRIGHT_WEB_OIDC_SCOPES", "openid"),
    pageUrl: read.url("RUNWRIGHT_WEB_URL", "none", ["https:", "http:"]),
  };
}
