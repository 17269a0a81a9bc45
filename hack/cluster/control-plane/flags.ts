import { join } from "node:path";

import { clientAuthentication, type CertificateRequest } from "../../lib/pki.ts";

/** Flags of etcd and the API server of one control plane; all ports are on loopback. */
export interface ControlPlaneSettings {
  /** Folder that {@link ensurePki} filled with {@link controlPlaneCertificates}. */
  pki: string;
  /** etcd's data. */
  data: string;
  etcdPort: number;
  etcdPeerPort: number;
  apiserverPort: number;
  /** Where pods find the API server; the `kubernetes` Service leads there. */
  advertiseAddress: string;
  serviceCidr: string;
}

/** Certificates of a control plane. `addresses` are IPs that clients may use beside loopback. */
export function controlPlaneCertificates(addresses: readonly string[]): CertificateRequest[] {
  const names = ["localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc"];
  const alternatives = [
    ...["127.0.0.1", ...addresses].map((address) => `IP:${address}`),
    ...names.map((name) => `DNS:${name}`),
  ];
  return [
    { name: "apiserver", subject: "/CN=kube-apiserver", extension: `subjectAltName=${alternatives.join(",")}` },
    { name: "admin", subject: "/O=system:masters/CN=admin", extension: clientAuthentication },
    { name: "front-proxy", subject: "/CN=front-proxy", extension: clientAuthentication },
  ];
}

/** Flags of etcd. Without fsync: what it stores is thrown away with the cluster, and tests wait for each write. */
export function etcdFlags({ data, etcdPort, etcdPeerPort }: ControlPlaneSettings): string[] {
  const peer = `http://127.0.0.1:${etcdPeerPort}`;
  return [
    `--data-dir=${data}`,
    "--unsafe-no-fsync",
    "--log-level=warn",
    `--listen-client-urls=http://127.0.0.1:${etcdPort}`,
    `--advertise-client-urls=http://127.0.0.1:${etcdPort}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=default=${peer}`,
  ];
}

/** Flags of kube-apiserver: RBAC, bound ServiceAccount tokens, aggregation headers, access to the kubelet. */
export function apiserverFlags(settings: ControlPlaneSettings): string[] {
  const pem = (file: string): string => join(settings.pki, file);
  return [
    `--etcd-servers=http://127.0.0.1:${settings.etcdPort}`,
    `--secure-port=${settings.apiserverPort}`,
    `--advertise-address=${settings.advertiseAddress}`,
    `--service-cluster-ip-range=${settings.serviceCidr}`,
    "--authorization-mode=Node,RBAC",
    "--allow-privileged",
    `--tls-cert-file=${pem("apiserver.crt")}`,
    `--tls-private-key-file=${pem("apiserver.key")}`,
    `--client-ca-file=${pem("ca.crt")}`,
    "--service-account-issuer=https://kubernetes.default.svc",
    `--service-account-key-file=${pem("service-account.pub")}`,
    `--service-account-signing-key-file=${pem("service-account.key")}`,
    `--kubelet-client-certificate=${pem("admin.crt")}`,
    `--kubelet-client-key=${pem("admin.key")}`,
    "--kubelet-preferred-address-types=InternalIP",
    `--proxy-client-cert-file=${pem("front-proxy.crt")}`,
    `--proxy-client-key-file=${pem("front-proxy.key")}`,
    `--requestheader-client-ca-file=${pem("ca.crt")}`,
    "--requestheader-allowed-names=front-proxy",
    "--requestheader-username-headers=X-Remote-User",
    "--requestheader-group-headers=X-Remote-Group",
    "--requestheader-extra-headers-prefix=X-Remote-Extra-",
  ];
}

/** Flags of kube-controller-manager beside the port it may serve on. */
export function controllerManagerFlags(settings: Pick<ControlPlaneSettings, "pki">, kubeconfig: string): string[] {
  return [
    `--kubeconfig=${kubeconfig}`,
    `--service-account-private-key-file=${join(settings.pki, "service-account.key")}`,
    `--root-ca-file=${join(settings.pki, "ca.crt")}`,
    "--use-service-account-credentials",
    "--leader-elect=false",
  ];
}
