import {
  type GitHubConfig,
  readArchiveMode,
  readDeliveryBaseUrl,
  readGitHub,
  readSandboxPort,
} from "./agreed-variables.ts";
import { isCidr } from "./lib/cidr.ts";
import { dnsLabel } from "./lib/dns-label.ts";

import type { OperatorSettings } from "./domain/settings/execution-timeout.ts";
import { ConfigError } from "./config-error.ts";
import { EnvironmentReader } from "./environment-reader.ts";
import { type Environment, readOperatorSettings } from "./operator-settings.ts";

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

export interface ControllerConfig {
  operator: OperatorSettings;
  tunnels: {
    /** Where people have the gateway, such as `https://gateway.example.com`; tunnels' URLs begin with it. */
    peopleUrl: string;
    /** How long `start.sh` waits for the URLs of tunnels. */
    waitSeconds: number;
  };
  /** What senders put before webhook paths, such as `https://hooks.example.com`. */
  deliveryBaseUrl: string;
  /** From the Pod's creation until it is ready, in milliseconds; more than the connect watchdog's 240,000. */
  bootTimeoutMs: number;
  /** Image of sandboxes whose class names none. */
  sandboxImage: string;
  /** Where runtimes connect, such as `wss://runwright-gateway.runwright-system.svc:8443`. */
  gatewayUrl: string;
  /** Ranges that sandboxes must not reach as part of the internet, beside those that are found in the cluster. */
  egressExceptCIDRs: readonly string[];
  /** Port of the gateway's pods behind that URL, which network policies name. */
  sandboxPort: number;
  github: GitHubConfig;
  /** Bytes that sets of skills may have in the sessions namespace, of one namespace's sessions and in all. */
  skillSetBudgets: { namespace: number; total: number };
  /** Whether the gateway keeps an archive, for which pruning waits. */
  hasArchive: boolean;
  /** Whether the release has a connector. */
  hasConnector: boolean;
  /** Who keeps the gateway's certificate: the controller by an authority of its own, or cert-manager. */
  gatewayCertificate: GatewayCertificate;
}

const gatewayCertificates = ["self-managed", "cert-manager"] as const;
export type GatewayCertificate = (typeof gatewayCertificates)[number];

export interface IngressConfig {
  port: number;
  /** Whether the release has a connector; without one, events of Integrations are not taken. */
  hasConnector: boolean;
}

export interface ConnectorConfig {
  /** Where GitHub's REST API is, such as `https://api.github.com`. */
  githubUrl: string;
  /** Where Linear's API is, such as `https://api.linear.app`. */
  linearUrl: string;
  /** Where Slack's API is, such as `https://slack.com`. */
  slackUrl: string;
  /** Where people have the web page, which the app's home in Slack links to; undefined where there is none. */
  pageUrl: string | undefined;
  /** The gateway's REST API, which keeps images of requests. */
  gateway: { url: string; authoritiesFile: string; tokenFile: string };
}

const connectWatchdogMs = 240_000;

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

const mebibyte = 1_048_576;

/** As for `sandboxTimeoutMs`: 7 days. */
const longestBudgetMs = 604_800_000;

/** @throws ConfigError when a variable cannot be used. */
export function readControllerConfig(environment: Environment, release: ReleaseConfig): ControllerConfig {
  const read = new EnvironmentReader(environment);
  return {
    operator: {
      settings: readOperatorSettings(environment),
      executionTimeoutMs: read.integer("EXECUTION_TIMEOUT_MS", 7_200_000, 1, longestBudgetMs),
    },
    tunnels: {
      peopleUrl: read.url("RUNWRIGHT_PEOPLE_URL", `https://${release.name}-gateway.${release.namespace}.svc:8444`, [
        "https:",
      ]),
      waitSeconds: read.integer("TUNNEL_WAIT_TIMEOUT_SECONDS", 30, 0, longestBudgetMs / 1_000),
    },
    deliveryBaseUrl: readDeliveryBaseUrl(read),
    bootTimeoutMs: read.integer("SANDBOX_BOOT_TIMEOUT_MS", 1_800_000, connectWatchdogMs + 1, longestBudgetMs),
    sandboxImage: read.text("RUNWRIGHT_SANDBOX_IMAGE"),
    gatewayUrl: read.url("RUNWRIGHT_GATEWAY_URL", `wss://${release.name}-gateway.${release.namespace}.svc:8443`, [
      "wss:",
    ]),
    egressExceptCIDRs: readExceptCIDRs(read),
    sandboxPort: readSandboxPort(read),
    github: readGitHub(read),
    skillSetBudgets: {
      namespace: read.bytes("RUNWRIGHT_SKILL_SETS_NAMESPACE", 64 * mebibyte),
      total: read.bytes("RUNWRIGHT_SKILL_SETS_TOTAL", 256 * mebibyte),
    },
    hasArchive: readArchiveMode(read) !== "none",
    hasConnector: readHasConnector(read),
    gatewayCertificate: read.oneOf("RUNWRIGHT_GATEWAY_CERTIFICATE", "self-managed", gatewayCertificates),
  };
}

/** IPv4 ranges of at least 1 bit, IPv6 ones of at least 4: a policy's exceptions must be narrower than the internet. */
function readExceptCIDRs(read: EnvironmentReader): string[] {
  const variable = "RUNWRIGHT_EGRESS_EXCEPT_CIDRS";
  const value = read.text(variable, "");
  const ranges = value === "" ? [] : value.split(",");
  const isNarrow = (range: string): boolean => Number(range.split("/")[1]) >= (range.includes(":") ? 4 : 1);
  const wrong = ranges.find((range) => !isCidr(range) || !isNarrow(range));
  if (wrong === undefined) return ranges;
  const must = `${wrong} must be a range such as 203.0.113.0/24 or 2001:db8::/32, narrower than the whole internet`;
  throw new ConfigError(variable, value, must, "the default is none");
}

/** @throws ConfigError when a variable cannot be used. */
export function readIngressConfig(environment: Environment): IngressConfig {
  const read = new EnvironmentReader(environment);
  return { port: read.integer("RUNWRIGHT_INGRESS_PORT", 8080, 0, 65_535), hasConnector: readHasConnector(read) };
}

/** Controller and ingress must agree on it. */
function readHasConnector(read: EnvironmentReader): boolean {
  return read.oneOf("RUNWRIGHT_CONNECTOR", "disabled", ["enabled", "disabled"]) === "enabled";
}

function readPageUrl(read: EnvironmentReader): string | undefined {
  if (read.text("RUNWRIGHT_WEB_URL", "") === "") return undefined;
  return read.url("RUNWRIGHT_WEB_URL", "none", ["https:", "http:"]);
}

const absolutePath = { pattern: /^\//, what: "an absolute path" };

/** @throws ConfigError when a variable cannot be used. */
export function readConnectorConfig(environment: Environment): ConnectorConfig {
  const schemes = ["https:", "http:"];
  const read = new EnvironmentReader(environment);
  return {
    githubUrl: read.url("RUNWRIGHT_GITHUB_URL", "https://api.github.com", schemes),
    linearUrl: read.url("RUNWRIGHT_LINEAR_URL", "https://api.linear.app", schemes),
    slackUrl: read.url("RUNWRIGHT_SLACK_URL", "https://slack.com", schemes),
    pageUrl: readPageUrl(read),
    gateway: {
      url: read.url("RUNWRIGHT_CONNECTOR_GATEWAY_URL", "https://runwright-gateway.runwright-system.svc:8444", [
        "https:",
      ]),
      authoritiesFile: read.matching(
        "RUNWRIGHT_CONNECTOR_GATEWAY_CA_FILE",
        absolutePath,
        "/var/run/runwright/gateway-ca/ca.crt",
      ),
      tokenFile: read.matching(
        "RUNWRIGHT_CONNECTOR_GATEWAY_TOKEN_FILE",
        absolutePath,
        "/var/run/runwright/gateway-token/token",
      ),
    },
  };
}
