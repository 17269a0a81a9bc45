/** Where a cluster is, and who it proves to be. */
interface ClusterAddress {
  /** Base URL of the API server, without a path. */
  server: string;
  /** As PEM. */
  certificateAuthority: string;
}

/** How the holder of a bearer token reaches one cluster. */
export interface TokenCredentials extends ClusterAddress {
  token: string;
}

/** How the holder of a certificate reaches one cluster; certificate and key as PEM. */
export interface CertificateCredentials extends ClusterAddress {
  clientCertificate: string;
  clientKey: string;
}

/** How one user reaches one cluster. */
export type ClusterCredentials = TokenCredentials | CertificateCredentials;

/** What a TLS client is made with. */
export function tlsOf(credentials: ClusterCredentials): { ca: string; cert?: string; key?: string } {
  const { certificateAuthority: ca } = credentials;
  return "token" in credentials ? { ca } : { ca, cert: credentials.clientCertificate, key: credentials.clientKey };
}

/** What each request bears. */
export function headersOf(credentials: ClusterCredentials): { authorization?: string } {
  return "token" in credentials ? { authorization: `Bearer ${credentials.token}` } : {};
}
