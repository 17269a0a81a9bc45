import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { ensurePki, readPem } from "../../hack/lib/pki.ts";
import { group, gatewayTlsSecretName, Prompt, SandboxClass, Session } from "../../src/api/v1alpha1/index.ts";
import type { KubeClient } from "../../src/kube/client.ts";
import { secrets, serviceAccounts } from "../../src/kube/core-resources.ts";
import type { Programs } from "../support/programs.ts";
import { tokenRequests } from "../support/core-resources.ts";
import { Informer } from "../../src/kube/informer.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { roleBindings, roles } from "../../src/controllers/sandbox/tenant/service-account.ts";
import { systemRandom } from "../../src/lib/random.ts";
import { serviceAccountUser, untilAllowed } from "../support/authorized.ts";
import { testApi, useCluster } from "../support/cluster.ts";
import type { ControlPlane } from "../../hack/cluster/cluster.ts";
import { installRelease } from "../support/installed-release.ts";
import { clientOf, newNamespace } from "../support/kube.ts";
import { impersonating, newRelease } from "../support/process-accounts.ts";
import { Kubelet } from "./kubelet.ts";
import { Ledger } from "./ledger.ts";
import { Operator } from "./operator.ts";
import { People } from "./people.ts";
import { startRelay, type RelayObserver } from "./relay.ts";

/** Everything that a campaign plays with, on a control plane of its own. */
export interface Stage {
  client: KubeClient;
  namespace: string;
  operator: Operator;
  kubelet: Kubelet;
  people: People;
  ledger: Ledger;
  sessions: Informer<Session>;
  prompts: Informer<Prompt>;
  /** What agents noted so far. */
  work(): Promise<string[]>;
  close(): Promise<void>;
}

/**
 * What an agent does: notes for itself that it begins, which prompts' work it finds in workspace and home, and that it has
 * ended, says so, reports what it has cost so far, twice, and takes up to 0.4 s. Its notes are in no workspace, so that they
 * outlive every sandbox; its work is in workspace and home.
 */
function agentCommand(notes: string): string[] {
  const script = [
    "number=$(sed -n 's/.*#//p')",
    "touch done ~/done",
    `echo "begin $number" >> ${notes}`,
    `echo "found $number in workspace:" $(cat done) >> ${notes}`,
    `echo "found $number in home:" $(cat ~/done) >> ${notes}`,
    // What takes some time to save and to restore.
    "head -c 16000000 /dev/urandom > ballast",
    'echo "working on $number"',
    `echo '{"usage":{"costUsd":0.0'$((number % 9 + 1))'}}'`,
    "sleep 0.$((number % 5))",
    `echo '{"usage":{"costUsd":0.'$((number % 9 + 1))'}}'`,
    "echo $number >> done",
    "echo $number >> ~/done",
    `echo "end $number" >> ${notes}`,
    `echo '{"type":"result","summary":"did '"$number"'"}'`,
  ];
  return ["sh", "-c", script.join("; ")];
}

export async function openStage(
  plane: ControlPlane,
  programs: Programs,
  observer: Partial<RelayObserver> = {},
): Promise<Stage> {
  const leaveCluster = useCluster(plane);
  const directory = await mkdtemp(join(tmpdir(), "runwright-kills-"));
  const connection = clientOf({ file: plane.kubeconfig });
  const { client } = connection;
  const [namespace, release] = await Promise.all([newNamespace(client, "tenant"), newRelease(client)]);
  const { keysNamespace, sessionsNamespace } = release;
  const users = await installRelease(testApi(), release);
  const kubeconfig = await readFile(plane.kubeconfig, "utf8");
  const notes = join(directory, "notes");
  await prepareTenant(client, namespace, agentCommand(notes));
  const operator = await Operator.start({
    program: programs.operator,
    kubeconfigs: {
      controller: impersonating(kubeconfig, users.controller ?? ""),
      gateway: impersonating(kubeconfig, users.gateway ?? ""),
    },
    release: { namespace: release.namespace, keysNamespace, sessionsNamespace },
    directory,
  });
  const certificate = await client.get(secrets, { namespace: sessionsNamespace, name: gatewayTlsSecretName });
  const gatewayCa = Buffer.from(certificate.data?.["ca.crt"] ?? "", "base64").toString("utf8");
  const ledger = new Ledger();
  const tls = await makeCertificate(directory);
  const relay = await startRelay({
    tls,
    gateway: { port: operator.sandboxPort, ca: gatewayCa },
    observer: {
      said(speaker, message) {
        ledger.said(speaker, message);
        observer.said?.(speaker, message);
      },
      told(speaker, message) {
        ledger.told(speaker, message);
        observer.told?.(speaker, message);
      },
    },
  });
  const kubelet = new Kubelet({
    client,
    namespace,
    release,
    directory,
    program: programs.sandbox,
    gateway: { url: `wss://localhost:${relay.port}`, ca: tls.ca },
    failed: (error) => void ledger.broken.push(`the kubelet failed: ${String(error)}`),
  });
  const sessions = new Informer<Session>({ client, clock: systemClock, random: systemRandom }, Session, { namespace });
  const prompts = new Informer<Prompt>({ client, clock: systemClock, random: systemRandom }, Prompt, { namespace });
  prompts.onChange(({ object }) => ledger.follow(object));
  sessions.onChange(({ object }) => ledger.followSession(object));
  for (const informer of [sessions, prompts]) informer.start();
  const people = new People({
    url: `https://localhost:${operator.peoplePort}`,
    ca: gatewayCa,
    token: await tokenOf(client, namespace, "person"),
    namespace,
  });
  return {
    client,
    namespace,
    operator,
    kubelet,
    people,
    ledger,
    sessions,
    prompts,
    work: () => readFile(notes, "utf8").then((text) => text.trim().split("\n")),
    async close() {
      await people.close();
      await kubelet.stop();
      await Promise.all([sessions.stop(), prompts.stop()]);
      await relay.close();
      await operator.stop();
      await connection.close();
      leaveCluster();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function prepareTenant(client: KubeClient, namespace: string, command: string[]): Promise<void> {
  // The API server fills in the rest.
  const spec = { default: true, agent: { command, protocol: "exec" } };
  await client.create(SandboxClass, { metadata: { name: "standard" }, spec } as unknown as SandboxClass);
  const use = { apiGroups: [group], resources: ["sandboxclasses"], verbs: ["use"], resourceNames: ["standard"] };
  await allow(client, namespace, "runner", [use]);
  const ask = { apiGroups: [group], resources: ["prompts"], verbs: ["create"] };
  const look = { apiGroups: [group], resources: ["sessions"], verbs: ["get"] };
  const read = { apiGroups: [group], resources: ["sessions/log"], verbs: ["get"] };
  await allow(client, namespace, "person", [ask, look, read]);
}

type Rules = { apiGroups: string[]; resources: string[]; verbs: string[]; resourceNames?: string[] }[];

async function allow(client: KubeClient, namespace: string, account: string, rules: Rules): Promise<void> {
  const metadata = { name: account, namespace };
  await client.create(serviceAccounts, { metadata });
  await client.create(roles, { metadata, rules });
  await client.create(roleBindings, {
    metadata,
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: account },
    subjects: [{ kind: "ServiceAccount", name: account, namespace }],
  });
  await untilAllowed(serviceAccountUser(namespace, account), rules, namespace);
}

async function tokenOf(client: KubeClient, namespace: string, account: string): Promise<string> {
  const body = {
    metadata: {},
    apiVersion: "authentication.k8s.io/v1",
    kind: tokenRequests.kind,
    // A campaign may take longer than an hour.
    spec: { audiences: [], expirationSeconds: 36_000 },
  };
  const key = { namespace, name: account };
  const issued = await client.createSubresource(serviceAccounts, key, { subresource: "token", body });
  return (issued as unknown as { status: { token: string } }).status.token;
}

/** For the relay, which is not the gateway and has an authority of its own. */
async function makeCertificate(directory: string): Promise<{ ca: string; cert: string; key: string }> {
  const folder = join(directory, "pki");
  await mkdir(folder);
  const extension = "subjectAltName=DNS:localhost\nextendedKeyUsage=serverAuth";
  await ensurePki(folder, [{ name: "relay", subject: "/CN=relay", extension }]);
  const [ca, cert, key] = await Promise.all(["ca.crt", "relay.crt", "relay.key"].map((file) => readPem(folder, file)));
  return { ca: ca!, cert: cert!, key: key! };
}
