import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { stringify } from "yaml";

import { freePorts } from "../../hack/lib/ports.ts";
import { testCluster } from "./cluster.ts";
import { programEnvironment, testPrograms } from "./programs.ts";
import { gatewayUser } from "./runtime-gateway.ts";
import { create, eventually, type World } from "./runtime-world.ts";

/** Where a gateway process listens. */
export interface GatewayPorts {
  sandbox: number;
  people: number;
  observability: number;
}

export interface GatewayProcessOptions {
  /** By default that of {@link testPrograms}. */
  program?: string;
  /** By default free ones. */
  ports?: GatewayPorts;
  /** For Node itself, such as `--cpu-prof`. */
  nodeOptions?: readonly string[];
}

export interface GatewayProcess {
  child: ChildProcess;
  sandboxPort: number;
  /** All it wrote. */
  output(): string;
  /** SIGKILL, as a lost node would. */
  kill(): Promise<void>;
}

/** Makes the gateway's account; returns the path of its kubeconfig. */
export async function makeGatewayAccount(world: World): Promise<string> {
  const { namespace, name } = world.release;
  await gatewayUser(world);
  const account = `${name}-gateway`;
  await create(`/api/v1/namespaces/${namespace}/serviceaccounts`, { metadata: { name: account } });
  const issued = await create(`/api/v1/namespaces/${namespace}/serviceaccounts/${account}/token`, { spec: {} });
  const { server, certificateAuthority } = testCluster();
  const path = join(world.directory, "gateway.kubeconfig");
  const cluster = { server, "certificate-authority-data": Buffer.from(certificateAuthority).toString("base64") };
  const kubeconfig = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "test", cluster }],
    users: [{ name: "test", user: { token: (issued.status as { token: string }).token } }],
    contexts: [{ name: "test", context: { cluster: "test", user: "test" } }],
    "current-context": "test",
  };
  await writeFile(path, stringify(kubeconfig), { mode: 0o600 });
  return path;
}

/** A gateway as a process of its own; resolves when it is ready. */
export async function startGatewayProcess(
  world: World,
  kubeconfig: string,
  podName: string,
  options: GatewayProcessOptions = {},
): Promise<GatewayProcess> {
  const { program = testPrograms().operator, ports = await freeGatewayPorts(), nodeOptions = [] } = options;
  const child = spawn(process.execPath, [...nodeOptions, program, "gateway"], {
    env: {
      ...programEnvironment(program),
      KUBECONFIG: kubeconfig,
      POD_NAME: podName,
      RUNWRIGHT_NAMESPACE: world.release.namespace,
      RUNWRIGHT_RELEASE: world.release.name,
      RUNWRIGHT_KEYS_NAMESPACE: world.release.keysNamespace,
      RUNWRIGHT_SESSIONS_NAMESPACE: world.release.sessionsNamespace,
      RUNWRIGHT_SANDBOX_PORT: String(ports.sandbox),
      RUNWRIGHT_PEOPLE_PORT: String(ports.people),
      RUNWRIGHT_OBSERVABILITY_PORT: String(ports.observability),
      RUNWRIGHT_BLOB_DIRECTORY: world.blobDirectory,
    },
  });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString("utf8")));
  child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString("utf8")));
  const isReady = (): Promise<true | undefined> =>
    fetch(`http://127.0.0.1:${ports.observability}/readyz`).then(
      ({ ok }) => ok || undefined,
      () => undefined,
    );
  await eventually(`gateway ${podName} is ready`, isReady).catch((error: unknown) => {
    child.kill("SIGKILL");
    throw new Error(`${String(error)}\n${output.slice(-2000)}`);
  });
  return {
    child,
    sandboxPort: ports.sandbox,
    output: () => output,
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, "exit");
      child.kill("SIGKILL");
      await gone;
    },
  };
}

export async function freeGatewayPorts(): Promise<GatewayPorts> {
  const [sandbox = 0, people = 0, observability = 0] = await freePorts(3);
  return { sandbox, people, observability };
}
