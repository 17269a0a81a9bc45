import { stringify } from "yaml";

import type { ClusterCredentials } from "./credentials.ts";

/** Text of a kubeconfig file with one context, named `name`, and everything embedded. */
export function makeKubeconfig(name: string, credentials: ClusterCredentials): string {
  return stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [
      {
        name,
        cluster: { server: credentials.server, "certificate-authority-data": base64(credentials.certificateAuthority) },
      },
    ],
    users: [{ name, user: userOf(credentials) }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    "current-context": name,
  });
}

function userOf(credentials: ClusterCredentials): object {
  if ("token" in credentials) return { token: credentials.token };
  const { clientCertificate, clientKey } = credentials;
  return { "client-certificate-data": base64(clientCertificate), "client-key-data": base64(clientKey) };
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}
