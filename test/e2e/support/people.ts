import { peopleAudience } from "../../../src/api/runtime/pod-contract.ts";
import { gatewayTlsSecretName } from "../../../src/api/v1alpha1/names.ts";
import { secrets } from "../../../src/kube/core-resources.ts";
import { release } from "./install.ts";
import { forwardService } from "./port-forward.ts";
import { apply, kubectl, type Workbench } from "./workbench.ts";

const gateway = `${release.name}-gateway`;

/** The gateway's API for people, reachable from this machine. */
export interface PeoplePort {
  /** Host and port. */
  authority: string;
  /** What a client needs to know the gateway by its certificate. */
  tls: { ca: string; servername: string };
  close(): void;
}

export async function openPeoplePort(bench: Workbench): Promise<PeoplePort> {
  const { namespace, name } = release;
  const { data } = await bench.client.get(secrets, {
    namespace: `${namespace}-${name}-sessions`,
    name: gatewayTlsSecretName,
  });
  const forward = await forwardService(bench, { namespace, name: gateway, port: 8444 });
  const ca = Buffer.from(data?.["ca.crt"] ?? "", "base64").toString();
  const tls = { ca, servername: `${gateway}.${namespace}.svc` };
  return { authority: `127.0.0.1:${forward.port}`, tls, close: () => forward.close() };
}

/** A person: an account of the namespace with one of the roles that every cluster has. */
export async function makePerson(bench: Workbench, namespace: string, role: "view" | "edit"): Promise<string> {
  const name = `person-${role}`;
  const apiGroup = "rbac.authorization.k8s.io";
  await apply(bench, [
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { name, namespace } },
    {
      apiVersion: `${apiGroup}/v1`,
      kind: "RoleBinding",
      metadata: { name, namespace },
      roleRef: { apiGroup, kind: "ClusterRole", name: role },
      subjects: [{ kind: "ServiceAccount", name, namespace }],
    },
  ]);
  return name;
}

/** A token that the gateway takes for that account. */
export async function tokenOf(bench: Workbench, namespace: string, account: string): Promise<string> {
  const create = ["-n", namespace, "create", "token", account, "--audience", peopleAudience(release)];
  return (await kubectl(bench, create)).trim();
}
