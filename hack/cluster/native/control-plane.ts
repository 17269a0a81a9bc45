import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { startBackground } from "./background.ts";
import {
  apiserverFlags,
  controllerManagerFlags,
  controlPlaneCertificates,
  etcdFlags,
  type ControlPlaneSettings,
} from "../control-plane/flags.ts";
import { makeKubeconfig } from "../control-plane/kubeconfig.ts";
import { network, nodeName, type Layout, type Native } from "./layout.ts";
import { kubectlUntil } from "./kubectl.ts";
import { clientAuthentication, ensurePki, readPem } from "../../lib/pki.ts";
import { portNear } from "../../lib/ports.ts";

/** Starts etcd, the API server, the controller manager and the scheduler; resolves when the API server is ready. */
export async function startControlPlane(native: Native): Promise<void> {
  const { layout, kubernetes } = native;
  await mkdir(layout.pki, { recursive: true });
  await ensurePki(layout.pki, [
    ...controlPlaneCertificates([network.apiserverService, network.nodeAddress]),
    { name: "node", subject: `/O=system:nodes/CN=system:node:${nodeName}`, extension: clientAuthentication },
    { name: "proxy", subject: "/CN=system:kube-proxy", extension: clientAuthentication },
  ]);
  const settings: ControlPlaneSettings = {
    pki: layout.pki,
    data: join(layout.state, "etcd"),
    etcdPort: await portNear(2379),
    etcdPeerPort: await portNear(2380),
    apiserverPort: await portNear(6443),
    advertiseAddress: network.nodeAddress,
    serviceCidr: network.serviceCidr,
  };
  await writeKubeconfigs(layout, settings);
  await startBackground(layout, "etcd", kubernetes.etcd, etcdFlags(settings));
  const flags = [...apiserverFlags(settings), "--enable-admission-plugins=NodeRestriction"];
  await startBackground(layout, "apiserver", kubernetes["kube-apiserver"], flags);
  await kubectlUntil(native, "the API server is ready", ["get", "--raw", "/readyz"], "apiserver");

  const managerFlags = [
    ...controllerManagerFlags(settings, layout.kubeconfig),
    "--bind-address=127.0.0.1",
    `--secure-port=${await portNear(10257)}`,
  ];
  await startBackground(layout, "controller-manager", kubernetes["kube-controller-manager"], managerFlags);
  const schedulerFlags = [
    `--kubeconfig=${layout.kubeconfig}`,
    "--leader-elect=false",
    "--bind-address=127.0.0.1",
    `--secure-port=${await portNear(10259)}`,
  ];
  await startBackground(layout, "scheduler", kubernetes["kube-scheduler"], schedulerFlags);
}

async function writeKubeconfigs(layout: Layout, { pki, apiserverPort }: ControlPlaneSettings): Promise<void> {
  const certificateAuthority = await readPem(pki, "ca.crt");
  const server = `https://127.0.0.1:${apiserverPort}`;
  const files = { admin: layout.kubeconfig, node: nodeKubeconfig(layout), proxy: proxyKubeconfig(layout) };
  for (const [user, file] of Object.entries(files)) {
    const clientCertificate = await readPem(pki, `${user}.crt`);
    const clientKey = await readPem(pki, `${user}.key`);
    const text = makeKubeconfig(nodeName, { server, certificateAuthority, clientCertificate, clientKey });
    await writeFile(file, text, { mode: 0o600 });
  }
}

/** Where the kubelet finds its credentials. */
export function nodeKubeconfig(layout: Layout): string {
  return join(layout.state, "node.kubeconfig");
}

/** Where kube-proxy finds its credentials. */
export function proxyKubeconfig(layout: Layout): string {
  return join(layout.state, "proxy.kubeconfig");
}
