import { labels } from "./names.ts";

/** Where a Secret of people's counts; each is one scope by itself. */
export const secretScopes = ["global", "repository", "environment"] as const;
export type SecretScopeKind = (typeof secretScopes)[number];

/** Name of the one Secret of a namespace whose values all its sessions get. */
export const globalSecretName = "runwright-global";

/** Bounds of secrets; bytes are those of decoded values, keys are not counted. */
export const secretLimits = {
  keysPerScope: 50,
  valueBytes: 16_384,
  scopeBytes: 65_536,
  /** What is left after merging. */
  sessionBytes: 131_072,
} as const;

/** What a key must be; the length is bounded by Kubernetes, at 253 characters. */
export const secretKeyPattern = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Names that are the platform's, whatever a secret says; compared without case. */
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

/** The labels that make a Secret a scope; `name` is that of the Repository or Environment. */
export function scopeLabels(kind: SecretScopeKind, name: string): Record<string, string> {
  return { [labels.secretScope]: kind, ...(kind === "global" ? {} : { [labels.scopeName]: name }) };
}
