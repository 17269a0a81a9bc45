import type { OperatorSettings } from "../domain/settings/execution-timeout.ts";
import { isCidr } from "../lib/cidr.ts";
import {
  type GitHubConfig,
  readArchiveMode,
  readDeliveryBaseUrl,
  readGitHub,
  readHasConnector,
  readSandboxPort,
} from "./agreed-variables.ts";
import type { ReleaseConfig } from "./common.ts";
import { ConfigError } from "./config-error.ts";
import { EnvironmentReader } from "./environment-reader.ts";
import { type Environment, readOperatorSettings } from "./operator-settings.ts";

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

const connectWatchdogMs = 240_000;

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
