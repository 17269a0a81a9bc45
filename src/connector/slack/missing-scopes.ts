/** Scopes that the app of our manifest has. */
export const scopesOfManifest: readonly string[] = [
  "app_mentions:read",
  "im:history",
  "channels:history",
  "groups:history",
  "channels:read",
  "groups:read",
  "users:read",
  "chat:write",
  "reactions:write",
  "files:read",
  "files:write",
  "usergroups:read",
];

/** What an answer of Slack's says of scopes. */
export interface SeenScopes {
  /** Those that the call needs, where it was refused for that: one of them or all, which Slack does not say. */
  needed: readonly string[];
  /** Those that the app has; undefined where Slack did not say. */
  granted: readonly string[] | undefined;
}

/**
 * The scopes that the app is known to lack after an answer. Of those that a call needs, our manifest's count: what others would give is
 * done without.
 */
export function missingScopes(known: readonly string[], { needed, granted = [] }: SeenScopes): string[] {
  const lacking = new Set([...known, ...needed.filter((scope) => scopesOfManifest.includes(scope))]);
  return [...lacking].filter((scope) => !granted.includes(scope)).sort();
}

/** More than Slack has. */
const mostScopes = 200;

/** Scopes in one text, as Slack writes them. */
export function scopesIn(text: unknown): string[] {
  if (typeof text !== "string") return [];
  const scopes = text.split(",").map((scope) => scope.trim());
  return scopes.filter((scope) => /^[a-z_.:-]{1,64}$/.test(scope)).slice(0, mostScopes);
}
