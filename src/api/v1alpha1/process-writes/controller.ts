import { group } from "../kind.ts";
import {
  annotations,
  bundleDataKey,
  controllerLeaseName,
  gatewayAuthoritiesDataKey,
  gatewayAuthoritiesName,
  gatewayCaSecretName,
  gatewayTlsSecretName,
  githubAppsDataKey,
  integrationSecretName,
  keyHashDataKey,
  keySecretName,
  labels,
  githubCredentialKeys,
  linearCredentialKeys,
  secretsMacDataKey,
  signingSecretDataKeys,
  skillsDataKey,
  slackCredentialKeys,
} from "../names.ts";
import { eventWrites, lease, leaseFields, named, namedLike, secret } from "./records.ts";
import { free, holds, isForeign, members, must, oneOf, oneOwner, only } from "./rules.ts";
import { sandboxPodWrites } from "./sandbox-pods.ts";
import { tenantObjectWrites } from "./tenant-objects.ts";
import type { Write, WriteScope } from "./write.ts";

const statuses = [
  "automations",
  "runs",
  "sessions",
  "prompts",
  "repositories",
  "environments",
  "integrations",
  "skills",
  "sandboxclasses",
  "prebuiltimages",
  "sandboxpools",
].map((plural): Write => {
  return {
    name: `controller-${plural}-status`,
    operation: "UPDATE",
    resource: `${plural}/status`,
    fields: { status: free },
  };
});

const kinds: readonly Write[] = [
  {
    name: "controller-runs",
    operation: "CREATE",
    resource: "runs",
    // The copy of a skipped Run has what the Run had.
    metadata: { labels: free, annotations: free },
    fields: { spec: free },
    also: [
      {
        expression:
          `object.spec.trigger.type == 'Schedule' ? (!has(object.metadata.annotations) || object.metadata.annotations.all(key, ${isForeign("key")})) : ` +
          `(has(object.metadata.annotations) && '${annotations.skipped}' in object.metadata.annotations)`,
        message: `spec.trigger.type: the controller may create Runs of type Schedule, and copies of skipped ones, which have the annotation ${annotations.skipped}`,
      },
    ],
  },
  {
    name: "controller-run-changes",
    operation: "UPDATE",
    resource: "runs",
    metadata: { labels: only(labels.automationUid) },
    fields: { spec: members({ trigger: only("payload", "idempotencyKey") }) },
  },
  {
    name: "controller-sessions",
    operation: "CREATE",
    resource: "sessions",
    metadata: {
      labels: only(labels.runUid, labels.automationUid),
      annotations: only(annotations.traceparent),
      ownerReferences: oneOwner("Run", "the controller must set the Run as the one owner"),
    },
    fields: { spec: free },
  },
  {
    name: "controller-prompts",
    operation: "CREATE",
    resource: "prompts",
    metadata: {
      labels: only(labels.sessionUid),
      ownerReferences: oneOwner(
        "Session",
        "the controller must set the Session as the one owner",
        (reference) => `${reference}.name == object.spec.sessionRef.name`,
      ),
    },
    fields: { spec: only("sessionRef", "text", "images") },
  },
  {
    name: "controller-prebuilt-images",
    operation: "CREATE",
    resource: "prebuiltimages",
    metadata: {
      ownerReferences: must(
        holds(
          (at) =>
            `size(${at}) == 1 && ${at}[0].apiVersion.startsWith('${group}/') && ` +
            `((${at}[0].kind == 'Repository' && has(object.spec.repositoryRef) && object.spec.repositoryRef.name == ${at}[0].name) || ` +
            `(${at}[0].kind == 'Environment' && has(object.spec.environmentRef) && object.spec.environmentRef.name == ${at}[0].name))`,
          "must name the Repository or Environment that the image is of, and nothing else",
        ),
      ),
    },
    fields: { spec: free },
  },
  {
    name: "controller-prebuilt-image-changes",
    operation: "UPDATE",
    resource: "prebuiltimages",
    fields: { spec: only("sandboxClassName", "serviceAccountName") },
  },
];

const keySecret = { ...secret, namespace: "keys" } as const;
const copies = {
  annotations: only(annotations.copiedFrom),
  name: namedLike(keySecretName(""), integrationSecretName("")),
};
const keyData = only(keyHashDataKey, ...Object.values(signingSecretDataKeys));
const ofIntegration = [labels.integrationUid, labels.integrationNamespace];
const token = { ...secret, namespace: "tokens" } as const;
const tokenName = namedLike(integrationSecretName(""));
const credentials = only(
  ...Object.values(githubCredentialKeys),
  ...Object.values(linearCredentialKeys),
  ...Object.values(slackCredentialKeys),
);
const sessionSecret = { ...secret, namespace: "sessions" } as const;
const certificates = ["ca.crt", "ca.key", "previous.crt", "previous.key", "tls.crt", "tls.key"];

const secrets: readonly Write[] = [
  {
    ...keySecret,
    name: "controller-keys",
    operation: "CREATE",
    metadata: { ...copies, labels: only(labels.automationUid, labels.automationNamespace, ...ofIntegration) },
    fields: { type: must(oneOf("Opaque")), data: keyData },
  },
  {
    ...keySecret,
    name: "controller-key-changes",
    operation: "UPDATE",
    metadata: copies,
    fields: { data: keyData },
  },
  {
    ...token,
    name: "controller-tokens",
    operation: "CREATE",
    metadata: { name: tokenName, labels: only(...ofIntegration) },
    fields: { type: must(oneOf("Opaque")), data: credentials },
  },
  {
    ...token,
    name: "controller-token-changes",
    operation: "UPDATE",
    metadata: { name: tokenName },
    fields: { data: credentials },
  },
  {
    ...sessionSecret,
    name: "controller-secrets",
    operation: "CREATE",
    metadata: { labels: free },
    fields: {
      type: must(oneOf("Opaque", "kubernetes.io/tls", "runwright.dev/bundle", "runwright.dev/skills")),
      immutable: free,
      data: only(bundleDataKey, githubAppsDataKey, skillsDataKey, secretsMacDataKey, ...certificates),
    },
  },
  {
    ...sessionSecret,
    name: "controller-secret-changes",
    operation: "UPDATE",
    metadata: { name: named(gatewayCaSecretName, gatewayTlsSecretName) },
    fields: { data: only(...certificates) },
  },
];

function ownWrites({ release }: WriteScope): Write[] {
  const leader = { ...lease, namespace: "release", fields: leaseFields } as const;
  const itsName = named(controllerLeaseName(release.name));
  return [
    { ...leader, name: "controller-leases", operation: "CREATE", metadata: { name: itsName } },
    { ...leader, name: "controller-lease-changes", operation: "UPDATE", metadata: { name: itsName } },
    {
      apiGroup: "",
      version: "v1",
      resource: "configmaps",
      namespace: "release",
      name: "controller-authorities",
      operation: "UPDATE",
      metadata: { name: named(gatewayAuthoritiesName(release.name)) },
      fields: { data: only(gatewayAuthoritiesDataKey) },
    },
  ];
}

/** Limits a compromised controller. It writes all statuses of our kinds; what it creates for people is what they asked for. */
export function controllerWrites(scope: WriteScope): Write[] {
  return [
    ...kinds,
    ...statuses,
    ...sandboxPodWrites(scope),
    ...tenantObjectWrites,
    ...secrets,
    ...eventWrites("controller"),
    ...ownWrites(scope),
  ];
}
