import { dnsLabel } from "../lib/dns-label.ts";
import { ConfigError } from "./config-error.ts";
import { EnvironmentReader } from "./environment-reader.ts";
import type { Environment } from "./operator-settings.ts";

/** Processes that work with the cluster; `web` is the one that does not. */
export const processNames = ["controller", "ingress", "gateway", "connector"] as const;
export type ProcessName = (typeof processNames)[number];

/** Where this process and its release live. */
export interface ReleaseConfig {
  name: string;
  namespace: string;
  keysNamespace: string;
  sessionsNamespace: string;
  /** Credentials of Integrations, which the connector reads. */
  tokensNamespace: string;
}

export interface CommonConfig {
  release: ReleaseConfig;
  /** Identity of this replica in Leases, events and logs. */
  podName: string;
  /** UID of this replica's Pod, so that what it alone writes goes with it; absent outside a cluster. */
  podUid?: string | undefined;
  /** Address of this replica's Pod; absent outside a cluster. */
  podIp?: string | undefined;
  /** Namespaces whose objects are served; none = all of the cluster. */
  watchNamespaces: readonly string[];
  logLevel: string;
  /** Health and metrics. */
  observabilityPort: number;
}

/** @throws ConfigError when a variable cannot be used. */
export function readCommonConfig(environment: Environment): CommonConfig {
  const read = new EnvironmentReader(environment);
  const namespace = read.text("RUNWRIGHT_NAMESPACE", "runwright-system");
  const name = read.text("RUNWRIGHT_RELEASE", "runwright");
  return {
    release: {
      name,
      namespace,
      keysNamespace: read.text("RUNWRIGHT_KEYS_NAMESPACE", `${namespace}-${name}-keys`),
      sessionsNamespace: read.text("RUNWRIGHT_SESSIONS_NAMESPACE", `${namespace}-${name}-sessions`),
      tokensNamespace: read.text("RUNWRIGHT_TOKENS_NAMESPACE", `${namespace}-${name}-tokens`),
    },
    podName: read.text("POD_NAME"),
    podUid: environment.POD_UID,
    podIp: environment.POD_IP,
    watchNamespaces: readWatchNamespaces(read),
    logLevel: read.logLevel(),
    observabilityPort: read.integer("RUNWRIGHT_OBSERVABILITY_PORT", 9090, 0, 65_535),
  };
}

const namespaceNames = {
  pattern: new RegExp(`^${dnsLabel}(,${dnsLabel})*$`),
  what: "names of namespaces with commas between them, or empty for all of the cluster",
};

function readWatchNamespaces(read: EnvironmentReader): string[] {
  const variable = "RUNWRIGHT_WATCH_NAMESPACES";
  if (read.text(variable, "") === "") return [];
  const value = read.matching(variable, namespaceNames);
  const names = value.split(",");
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated === undefined) return names;
  throw new ConfigError(variable, value, `it must name ${repeated} once`, "the default is all of the cluster");
}
