import { z } from "zod";
import { dnsLabel } from "../../lib/dns-label.ts";
import { boundedRecord } from "./bounded-record.ts";
import { atomicOf, LabelName, matching, SecretName, SubdomainName, withRule } from "./schema.ts";

const Domain = matching(
  z.string().min(1).max(200),
  new RegExp(`^${dnsLabel}(\\.${dnsLabel})*$`),
  "must be a DNS name of at most 200 characters: parts of at most 63 lower-case letters, digits and '-'",
);

const Annotations = boundedRecord("annotations", { entries: 16, valueCharacters: 4_096 });

const ParentReference = z
  .object({
    name: SubdomainName.describe("name of the Gateway, at most 253 characters."),
    namespace: LabelName.describe(
      "namespace of the Gateway, at most 63 characters; it must accept routes from tenant namespaces.",
    ),
    sectionName: SubdomainName.optional().describe(
      "sectionName is the Gateway's listener, at most 253 characters; left out, all listeners.",
    ),
  })
  .describe("ParentReference names a Gateway.");

const HttpRoute = z
  .object({
    parentRefs: atomicOf(z.array(ParentReference).min(1).max(8)).describe(
      "parentRefs are the Gateways that serve the ports, 1 to 8.",
    ),
  })
  .describe("HttpRoute serves the ports through the Gateway API.");

const IngressRoute = z
  .object({
    className: SubdomainName.describe(
      "className is the ingress controller that serves the ports, by its IngressClass, at most 253 characters.",
    ),
    tlsSecretName: SecretName.optional().describe(
      "tlsSecretName is a Secret in the tenant namespace with the certificate, at most 253 characters; left out, the ingress controller's own certificate serves https.",
    ),
  })
  .describe("IngressRoute serves the ports through an Ingress.");

/** How people reach the tunnel ports of a class's sandboxes without our gateway. */
export const TunnelRoute = withRule(
  z
    .object({
      domain: Domain.describe(
        "domain is the suffix of the host names, at most 200 characters: port 3000 of a session is 3000-<session>-<hash>.<domain>. Use a separate domain, as sandboxes may serve hostile pages below it.",
      ),
      scheme: z.enum(["https", "http"]).default("https").describe("scheme of the URLs. Defaults to https."),
      controllerNamespace: LabelName.describe(
        "controllerNamespace is the namespace of the ingress controller's pods, at most 63 characters; only these pods reach the ports.",
      ),
      annotations: Annotations.optional().describe(
        "annotations of the Ingress or of each HTTPRoute, such as those that require a login; at most 16, keys of at most 317 characters and values of at most 4,096.",
      ),
      httpRoute: HttpRoute.optional().describe("httpRoute creates an HTTPRoute for each port."),
      ingress: IngressRoute.optional().describe("ingress creates an Ingress with a rule for each port."),
    })
    .describe("TunnelRoute opens tunnel ports to an ingress controller or Gateway."),
  {
    message: "must have exactly one of httpRoute and ingress",
    cel: "has(self.httpRoute) != has(self.ingress)",
    check: ({ httpRoute, ingress }) => (httpRoute === undefined) !== (ingress === undefined),
  },
);
export type TunnelRoute = z.infer<typeof TunnelRoute>;
