import { stringify } from "yaml";

import { network } from "./layout.ts";

/** Name of the image that holds CoreDNS. */
export const coreDnsImage = "runwright.local/coredns:1";

const name = "coredns";
const namespace = "kube-system";
const labels = { "k8s-app": "kube-dns" };

// Names outside the cluster go where the node's own go. Answers are kept shortly: tests make and remove Services.
const corefile = `.:53 {
  errors
  health :8080
  ready :8181
  kubernetes cluster.local in-addr.arpa ip6.arpa {
    pods insecure
    ttl 2
  }
  forward . /etc/resolv.conf
  cache 2
}
`;

/** Cluster DNS as YAML for kubectl; pods ask it at the Service address that the kubelet tells them. */
export function coreDnsManifests(): string {
  return [serviceAccount, clusterRole, clusterRoleBinding, configMap, deployment, service]
    .map((object) => stringify(object))
    .join("---\n");
}

const serviceAccount = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name, namespace } };

const clusterRole = {
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "ClusterRole",
  metadata: { name: "system:coredns" },
  rules: [
    { apiGroups: [""], resources: ["services", "namespaces", "pods"], verbs: ["list", "watch"] },
    { apiGroups: ["discovery.k8s.io"], resources: ["endpointslices"], verbs: ["list", "watch"] },
  ],
};

const clusterRoleBinding = {
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "ClusterRoleBinding",
  metadata: { name: "system:coredns" },
  roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "system:coredns" },
  subjects: [{ kind: "ServiceAccount", name, namespace }],
};

const configMap = { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace }, data: { Corefile: corefile } };

const deployment = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name, namespace, labels },
  spec: {
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: {
        serviceAccountName: name,
        priorityClassName: "system-cluster-critical",
        // The node's resolver, not the cluster's, which would be this very pod.
        dnsPolicy: "Default",
        // NetworkPolicies name ports of pods, so it listens on DNS's own, which this lets anyone do.
        securityContext: { sysctls: [{ name: "net.ipv4.ip_unprivileged_port_start", value: "0" }] },
        containers: [
          {
            name,
            image: coreDnsImage,
            imagePullPolicy: "Never",
            args: ["-conf", "/etc/coredns/Corefile"],
            ports: [
              { name: "dns", containerPort: 53, protocol: "UDP" },
              { name: "dns-tcp", containerPort: 53, protocol: "TCP" },
            ],
            readinessProbe: { httpGet: { path: "/ready", port: 8181 }, periodSeconds: 1 },
            securityContext: { runAsNonRoot: true, allowPrivilegeEscalation: false, readOnlyRootFilesystem: true },
            volumeMounts: [{ name: "config", mountPath: "/etc/coredns", readOnly: true }],
          },
        ],
        volumes: [{ name: "config", configMap: { name } }],
      },
    },
  },
};

const service = {
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "kube-dns", namespace, labels },
  spec: {
    clusterIP: network.dnsService,
    selector: labels,
    ports: [
      { name: "dns", port: 53, targetPort: "dns", protocol: "UDP" },
      { name: "dns-tcp", port: 53, targetPort: "dns-tcp", protocol: "TCP" },
    ],
  },
};
