import { EnvironmentReader } from "./environment-reader.ts";
import type { Environment } from "./operator-settings.ts";

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
