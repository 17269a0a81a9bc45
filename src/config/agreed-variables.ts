import type { ArchiveConfig } from "../gateway/archive/archive-config.ts";
import type { EnvironmentReader } from "./environment-reader.ts";

// Variables on which processes must agree.

export interface GitHubConfig {
  /** APIs of GitHub from which tokens of Apps may be requested, such as `https://api.github.com`. */
  apiURLs: readonly string[];
}

export function readDeliveryBaseUrl(read: EnvironmentReader): string {
  return read.url("RUNWRIGHT_BASE_URL", "http://localhost:8080", ["http:", "https:"]);
}

export function readSandboxPort(read: EnvironmentReader): number {
  return read.integer("RUNWRIGHT_SANDBOX_PORT", 8443, 0, 65_535);
}

export function readGitHub(read: EnvironmentReader): GitHubConfig {
  return { apiURLs: read.urls("RUNWRIGHT_GITHUB_API_URLS", "https://api.github.com", ["https:"]) };
}

export function readArchiveMode(read: EnvironmentReader): ArchiveConfig["mode"] {
  return read.oneOf("RUNWRIGHT_ARCHIVE", "none", ["none", "embedded", "postgresql"]);
}

export function readHasConnector(read: EnvironmentReader): boolean {
  return read.oneOf("RUNWRIGHT_CONNECTOR", "disabled", ["enabled", "disabled"]) === "enabled";
}
