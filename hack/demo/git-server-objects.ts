import { createHash } from "node:crypto";

import type { ServerCertificate } from "./certificates.ts";
import type { MountedFiles } from "./sample-files.ts";

/** What the git server is made of. */
export interface GitServerParts {
  namespace: string;
  /** The sandbox image: it has node and git. */
  image: string;
  program: string;
  sample: MountedFiles;
  certificate: ServerCertificate;
  credential: { username: string; password: string };
}

export const gitServerName = "git";
const labels = { "app.kubernetes.io/name": "runwright-demo-git" };

/** Host name of the git server's Service, as its certificate and the Repository's URL have it. */
export function gitHost(namespace: string): string {
  return `${gitServerName}.${namespace}.svc`;
}

/** Clone URL of the sample repository. */
export function sampleUrl(namespace: string): string {
  return `https://${gitHost(namespace)}/checkout.git`;
}

/** The git server's objects: a namespace with one restricted pod behind one Service. */
export function gitServerObjects(parts: GitServerParts): object[] {
  const { namespace, certificate, credential } = parts;
  const metadata = { name: gitServerName, namespace, labels };
  return [
    {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: namespace, labels: { ...labels, "pod-security.kubernetes.io/enforce": "restricted" } },
    },
    { apiVersion: "v1", kind: "ConfigMap", metadata, data: { "server.mjs": parts.program } },
    { apiVersion: "v1", kind: "ConfigMap", metadata: { ...metadata, name: "sample" }, data: parts.sample.data },
    {
      apiVersion: "v1",
      kind: "Secret",
      type: "kubernetes.io/tls",
      metadata: { ...metadata, name: "git-tls" },
      stringData: { "tls.crt": certificate.certificate, "tls.key": certificate.key },
    },
    {
      apiVersion: "v1",
      kind: "Secret",
      type: "kubernetes.io/basic-auth",
      metadata: { ...metadata, name: "git-account" },
      stringData: credential,
    },
    {
      apiVersion: "v1",
      kind: "Service",
      metadata,
      spec: { selector: labels, ports: [{ name: "https", port: 443, targetPort: 8443 }] },
    },
    deployment(parts),
  ];
}

function deployment({ namespace, image, sample, certificate }: GitServerParts): object {
  // A pod that started with an earlier certificate is replaced.
  const fingerprint = createHash("sha256").update(certificate.certificate).digest("hex");
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: gitServerName, namespace, labels },
    spec: {
      replicas: 1,
      strategy: { type: "Recreate" },
      selector: { matchLabels: labels },
      template: {
        metadata: { labels, annotations: { "runwright-demo/certificate": fingerprint } },
        spec: {
          automountServiceAccountToken: false,
          enableServiceLinks: false,
          terminationGracePeriodSeconds: 2,
          securityContext: {
            runAsNonRoot: true,
            runAsUser: 10_002,
            runAsGroup: 10_000,
            fsGroup: 10_000,
            seccompProfile: { type: "RuntimeDefault" },
          },
          containers: [container(image)],
          volumes: [
            { name: "program", configMap: { name: gitServerName } },
            { name: "sample", configMap: { name: "sample", items: sample.items } },
            { name: "tls", secret: { secretName: "git-tls" } },
            { name: "data", emptyDir: {} },
            { name: "tmp", emptyDir: {} },
          ],
        },
      },
    },
  };
}

function container(image: string): object {
  const fromSecret = (name: string, key: string): object => ({
    name,
    valueFrom: { secretKeyRef: { name: "git-account", key } },
  });
  return {
    name: "git",
    image,
    imagePullPolicy: "IfNotPresent",
    command: ["node", "/program/server.mjs"],
    env: [
      fromSecret("GIT_USERNAME", "username"),
      fromSecret("GIT_PASSWORD", "password"),
      { name: "HOME", value: "/data" },
    ],
    ports: [{ name: "https", containerPort: 8443 }],
    readinessProbe: { httpGet: { path: "/healthz", port: "https", scheme: "HTTPS" }, periodSeconds: 1 },
    resources: { requests: { cpu: "20m", memory: "64Mi" }, limits: { memory: "256Mi" } },
    securityContext: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ["ALL"] } },
    volumeMounts: [
      { name: "program", mountPath: "/program" },
      { name: "sample", mountPath: "/sample" },
      { name: "tls", mountPath: "/tls" },
      { name: "data", mountPath: "/data" },
      { name: "tmp", mountPath: "/tmp" },
    ],
  };
}
