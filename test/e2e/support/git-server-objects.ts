import { createHash } from "node:crypto";

import type { ServerCertificate } from "./certificates.ts";
import { type InClusterServer, serverObjects } from "./in-cluster-server.ts";
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
    ...serverObjects(server(parts)),
  ];
}

function server({ namespace, image, sample, certificate }: GitServerParts): InClusterServer {
  const fingerprint = createHash("sha256").update(certificate.certificate).digest("hex");
  const fromSecret = (name: string, key: string): object => ({
    name,
    valueFrom: { secretKeyRef: { name: "git-account", key } },
  });
  return {
    namespace,
    name: gitServerName,
    image,
    port: { name: "https", service: 443, pod: 8443 },
    env: [
      fromSecret("GIT_USERNAME", "username"),
      fromSecret("GIT_PASSWORD", "password"),
      { name: "HOME", value: "/data" },
    ],
    volumes: [
      { name: "program", mountPath: "/program", source: { configMap: { name: gitServerName } } },
      { name: "sample", mountPath: "/sample", source: { configMap: { name: "sample", items: sample.items } } },
      { name: "tls", mountPath: "/tls", source: { secret: { secretName: "git-tls" } } },
      { name: "data", mountPath: "/data", source: { emptyDir: {} } },
      { name: "tmp", mountPath: "/tmp", source: { emptyDir: {} } },
    ],
    // A pod that started with an earlier certificate is replaced.
    annotations: { "runwright-demo/certificate": fingerprint },
  };
}
