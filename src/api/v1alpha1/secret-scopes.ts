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

/** Why a key or value of a scope is refused, in words that stand behind its name. */
export const secretRefusals = {
  malformed: "a key must be letters, digits and underscores and must not begin with a digit",
  reserved: "this key is reserved for the platform, in any case",
  twin: "the scope has this key in another case too; names that differ only in case count as one key",
  withNul: "the value holds U+0000, which environment variables cannot hold",
} as const;

/** Pattern of keys; Kubernetes limits their length to 253 characters. */
export const secretKeyPattern = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * Names that no secret may set, as the platform sets them or as they mean something to hooks; compared without case. The
 * variables that the sandbox runtime may set are these and those of {@link reservedSecretPattern}.
 */
export const reservedSecretKeys = [
  "PYTHONUNBUFFERED",
  "SANDBOX_ID",
  "CONTROL_PLANE_URL",
  "SANDBOX_AUTH_TOKEN",
  "REPO_OWNER",
  "REPO_NAME",
  "SCM_APP_TOKEN",
  "SESSION_CONFIG",
  "RESTORED_FROM_SNAPSHOT",
  "FROM_REPO_IMAGE",
  "REPO_IMAGE_SHA",
  "IMAGE_BUILD_MODE",
  "AGENT_CONFIG_CONTENT",
  "TRACEPARENT",
  "GIT_TERMINAL_PROMPT",
  "EXPECTED_TUNNEL_PORTS",
  "TUNNEL_WAIT_TIMEOUT_SECONDS",
  "PATH",
  "HOME",
  "USER",
  "SHELL",
  "TERM",
  "PWD",
  "LANG",
] as const;

/** Further names that no secret may set, in upper case: those of hooks, and of the URLs of tunnel ports. */
export const reservedSecretPattern = /^(RUNWRIGHT_|TUNNEL_[0-9]+$)/;

/** A variable that the platform may set for hooks and agents. */
export type ReservedVariable = (typeof reservedSecretKeys)[number] | `RUNWRIGHT_${string}` | `TUNNEL_${number}`;

export function isReservedSecretKey(key: string): boolean {
  const name = key.toUpperCase();
  return reservedNames.has(name) || reservedSecretPattern.test(name);
}

const reservedNames: ReadonlySet<string> = new Set(reservedSecretKeys);

/** The labels of a scope's Secret; `name` is the Repository's or Environment's. */
export function scopeLabels(kind: SecretScopeKind, name: string): Record<string, string> {
  return { [labels.secretScope]: kind, ...(kind === "global" ? {} : { [labels.scopeName]: name }) };
}
