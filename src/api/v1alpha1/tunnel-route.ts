import { z } from "zod";
import { dnsLabel } from "../../lib/dns-label.ts";
import { LabelName, listType, matching, SubdomainName, withRule, withRules } from "./schema.ts";

const Domain = matching(
  z.string().min(1).max(200),
  new RegExp(`^${dnsLabel}(\\.${dnsLabel})*$`),
  "must be a DNS name of at most 200 characters: parts of at most 63 lower-case letters, digits and '-'",
);

const Annotations = withRules(z.record(z.string(), z.string().max(4_096)).meta({ maxProperties: 16 }), [
  {
    message: "may hold at most 16 annotations",
    cel: "size(self) <= 16",
    check: (annotations) => Object.keys(annotations).length <= 16,
  },
  {
    message: "may hold keys of 1 to 317 characters",
    cel: "self.all(key, size(key) >= 1 && size(key) <= 317)",
    check: (annotations) => Object.keys(annotations).every((key) => key.length >= 1 && key.length <= 317),
  },
]);

const ParentReference = z
  .object({
    name: SubdomainName.describe("name of the Gateway, at most 253 characters."),
    namespace: LabelName.describe(
      "namespace of the Gateway, at most 63 characters; it must let routes of tenant namespaces in.",
    ),
    sectionName: SubdomainName.optional().describe(
      "sectionName is the Gateway's listener, at most 253 characters; left out, all.",
    ),
  })
  .describe("ParentReference names a Gateway.");

const HttpRoute = z
  .object({
    parentRefs: z
      .array(ParentReference)
      .min(1)
      .max(8)
      .describe("parentRefs are the Gateways that serve the ports, 1 to 8.")
      .meta(listType({ type: "atomic" })),
  })
  .describe("HttpRoute has the ports served by the Gateway API.");

const IngressRoute = z
  .object({
    className: SubdomainName.describe("className is the IngressClass, at most 253 characters."),
    tlsSecretName: SubdomainName.optional().describe(
      "tlsSecretName is a Secret in the tenant namespace with the certificate, at most 253 characters; left out, the ingress controller's own certificate serves https.",
    ),
  })
  .describe("IngressRoute has the ports served by an Ingress.");

/** How people reach the tunnel ports of a class's sandboxes, when it is not through the gateway. */
export const TunnelRoute = withRule(
  z
    .object({
      domain: Domain.describe(
        "domain is what the hosts end in, at most 200 characters: port 3000 of a session is 3000-<session>-<hash>.<domain>. Use a domain of its own, for what is served below it is hostile.",
      ),
      scheme: z.enum(["https", "http"]).default("https").describe("scheme of the URLs. Defaults to https."),
      controllerNamespace: LabelName.describe(
        "controllerNamespace is where the pods run that the traffic comes from, at most 63 characters; nobody else reaches the ports.",
      ),
      annotations: Annotations.optional().describe(
        "annotations of the Ingress or of each HTTPRoute, such as those that ask people to log in; at most 16, keys of at most 317 characters and values of at most 4,096.",
      ),
      httpRoute: HttpRoute.optional().describe("httpRoute makes an HTTPRoute for each port."),
      ingress: IngressRoute.optional().describe("ingress makes an Ingress with a rule for each port."),
    })
    .describe("TunnelRoute opens tunnel ports to an ingress controller or Gateway."),
  {
    message: "must have exactly one of httpRoute and ingress",
    cel: "has(self.httpRoute) != has(self.ingress)",
    check: ({ httpRoute, ingress }) => (httpRoute === undefined) !== (ingress === undefined),
  },
);
export type TunnelRoute = z.infer<typeof TunnelRoute>;
