import { stringify } from "yaml";

/** How one user reaches one cluster; certificates and key as PEM. */
export interface ClusterCredentials {
  /** Base URL of the API server, without a path. */
  server: string;
  certificateAuthority: string;
  clientCertificate: string;
  clientKey: string;
}

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
    users: [
      {
        name,
        user: {
          "client-certificate-data": base64(credentials.clientCertificate),
          "client-key-data": base64(credentials.clientKey),
        },
      },
    ],
    contexts: [{ name, context: { cluster: name, user: name } }],
    "current-context": name,
  });
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}
