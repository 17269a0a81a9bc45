import { spawn } from "node:child_process";
import { join } from "node:path";

import { freePorts } from "../../hack/lib/ports.ts";
import { waitUntil } from "../../hack/lib/wait.ts";
import { gatewayTlsSecretName } from "../../src/api/v1alpha1/index.ts";
import type { KubeClient } from "../../src/kube/client.ts";
import { secrets } from "../../src/kube/core-resources.ts";
import { newNamespace } from "../../test/support/kube.ts";
import { programEnvironment } from "../../test/support/programs.ts";
import { isOk, stop } from "../children.ts";

const names = ["controller", "gateway", "ingress"] as const;
export type Component = (typeof names)[number];

/** Controller, gateway and ingress of one release, each a process of its own as in its pod. */
export interface Release {
  namespace: string;
  keysNamespace: string;
  ingressUrl: string;
  /** Where runtimes connect. */
  sandboxUrl: string;
  /** Where people have the gateway. */
  peopleUrl: string;
  /** The authority of the gateway's certificate, PEM. */
  ca: string;
  /** Process ids. */
  pids: Readonly<Record<Component, number>>;
  stop(): Promise<void>;
}

interface ReleaseOptions {
  client: KubeClient;
  kubeconfig: string;
  program: string;
  folder: string;
  nodeOptions: readonly string[];
}

const readyLimitMs = 120_000;
/** The heap that Node takes in a container of 512 MiB, which is the chart's limit of each of these processes; here it would take more. */
const heapOfContainer = ["--max-old-space-size=256", "--max-semi-space-size=1"];
/** What all workspaces and images of a namespace may have. */
const blobBudget = "2Gi";

export async function startRelease({
  client,
  kubeconfig,
  program,
  folder,
  nodeOptions,
}: ReleaseOptions): Promise<Release> {
  const [namespace = "", keysNamespace = "", sessionsNamespace = ""] = await Promise.all(
    ["system", "keys", "sessions"].map((prefix) => newNamespace(client, prefix)),
  );
  const [sandbox = 0, people = 0, ingress = 0, ...observability] = await freePorts(6);
  const children = names.map((name, index) =>
    spawn(process.execPath, [...heapOfContainer, ...nodeOptions, program, name], {
      stdio: ["ignore", "ignore", "inherit"],
      env: {
        ...programEnvironment(program),
        KUBECONFIG: kubeconfig,
        NODE_ENV: "production",
        POD_NAME: `${name}-under-load`,
        RUNWRIGHT_NAMESPACE: namespace,
        RUNWRIGHT_KEYS_NAMESPACE: keysNamespace,
        RUNWRIGHT_SESSIONS_NAMESPACE: sessionsNamespace,
        RUNWRIGHT_SANDBOX_IMAGE: "sandbox:1",
        RUNWRIGHT_GATEWAY_URL: `wss://localhost:${sandbox}`,
        RUNWRIGHT_SANDBOX_PORT: String(sandbox),
        RUNWRIGHT_PEOPLE_PORT: String(people),
        RUNWRIGHT_INGRESS_PORT: String(ingress),
        RUNWRIGHT_OBSERVABILITY_PORT: String(observability[index]),
        RUNWRIGHT_BLOB_DIRECTORY: join(folder, "blobs"),
        RUNWRIGHT_BLOB_BUDGET_NAMESPACE: blobBudget,
      },
    }),
  );
  const isReady = (port: number): Promise<boolean> => isOk(`http://127.0.0.1:${port}/readyz`);
  const areReady = async (): Promise<boolean> => (await Promise.all(observability.map(isReady))).every(Boolean);
  await waitUntil(areReady, readyLimitMs, () => Promise.resolve("controller, gateway and ingress are ready"));
  const tls = await client.get(secrets, { namespace: sessionsNamespace, name: gatewayTlsSecretName });
  return {
    namespace,
    keysNamespace,
    ingressUrl: `http://127.0.0.1:${ingress}`,
    sandboxUrl: `wss://localhost:${sandbox}`,
    peopleUrl: `https://localhost:${people}`,
    ca: Buffer.from(tls.data?.["ca.crt"] ?? "", "base64").toString("utf8"),
    pids: Object.fromEntries(names.map((name, index) => [name, children[index]?.pid])) as Release["pids"],
    stop: () => Promise.all(children.map(stop)).then(() => undefined),
  };
}
