import { labels } from "./names.ts";

/** The scopes for which users may label a Secret. */
export const secretScopes = ["global", "repository", "environment"] as const;
export type SecretScopeKind = (typeof secretScopes)[number];

/** Name of the Secret whose values all sessions of its namespace get. */
export const globalSecretName = "runwright-global";

/** Limits of secrets. Bytes count decoded values only, not keys. */
export const secretLimits = {
  keysPerScope: 50,
  valueBytes: 16_384,
  scopeBytes: 65_536,
  /** After the scopes were merged. */
  sessionBytes: 131_072,
} as const;

/** Pattern of keys; Kubernetes limits their length to 253 characters. */
export const secretKeyPattern = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Names that no secret may set; compared without case. */
export const reservedSecretKeys: readonly string[] = [
  "PYTHONUNBUFFERED",
  "SANDBOX_ID",
  "CONTROL_PLANE_URL",
  "SANDBOX_AUTH_TOKEN",
  "REPO_OWNER",
  "REPO_NAME",
  "SCM_APP_TOKEN",
  "SESSION_CONFIG",
  "RESTORED_FROM_SNAPSHOT",
  "AGENT_CONFIG_CONTENT",
  "PATH",
  "HOME",
  "USER",
  "SHELL",
  "TERM",
  "PWD",
  "LANG",
];

/** The labels of a scope's Secret; `name` is the Repository's or Environment's. */
export function scopeLabels(kind: SecretScopeKind, name: string): Record<string, string> {
  return { [labels.secretScope]: kind, ...(kind === "global" ? {} : { [labels.scopeName]: name }) };
}
