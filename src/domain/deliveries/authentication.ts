import type { WebhookAuthentication } from "../../api/v1alpha1/index.ts";
import { type SignatureScheme, signatureScheme } from "./signature-scheme.ts";

/** How a webhook's senders prove whose a request is. Names of headers are in lower case. */
export type Authentication =
  { type: "Bearer" } | { type: "Header"; header: string } | { type: "HMAC"; scheme: SignatureScheme };

/** The authentication of an Automation's settings; without any it is the default. */
export function authenticationOf(settings: WebhookAuthentication | undefined): Authentication {
  const { type, hmac, header } = settings ?? {};
  if (type === "HMAC" && hmac) return { type, scheme: signatureScheme(hmac) };
  if (type === "Header" && header) return { type, header: header.name.toLowerCase() };
  // Nothing that is stored has another type without its settings.
  return { type: "Bearer" };
}

/** What a sender proves whose a request is with, for people. */
export function describeAuthentication(authentication: Authentication): string {
  switch (authentication.type) {
    case "Bearer":
      return "the key in Authorization: Bearer";
    case "Header":
      return `the key in ${authentication.header}`;
    case "HMAC":
      return `a signature in ${authentication.scheme.header}`;
  }
}
