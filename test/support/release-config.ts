import type { ReleaseConfig } from "../../src/config/common.ts";

/** A release whose namespaces have short names. */
export const release: ReleaseConfig = {
  name: "runwright",
  namespace: "runwright-system",
  keysNamespace: "keys",
  sessionsNamespace: "sessions",
  tokensNamespace: "tokens",
};

/** The variable that a controller cannot start without. */
export const image = { RUNWRIGHT_SANDBOX_IMAGE: "example.com/sandbox:1" };
