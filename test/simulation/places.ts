/** Namespaces of the release, and the tenant's. */
export const places = {
  name: "rw",
  namespace: "rw-system",
  keysNamespace: "rw-keys",
  sessionsNamespace: "rw-sessions",
  tokensNamespace: "rw-tokens",
} as const;
export const tenant = "shop";
/** A namespace of another tenant, who may do there as he likes. */
export const rival = "rival";
/** What each secret begins with that no object but a Secret may hold; of a length that base64 does not mix with what follows. */
export const secretPrefix = "the-value-of-the-global-secret";
