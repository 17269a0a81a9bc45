import { spawn } from "node:child_process";

import { freePorts } from "../hack/lib/ports.ts";
import { waitUntil } from "../hack/lib/wait.ts";
import { isOk, stop } from "./children.ts";

/** The ingress as it runs in its pod: the bundled program, a process of its own. */
export interface IngressProcess {
  url: string;
  /** User and system CPU since its start, in milliseconds, as the process itself says. */
  cpuMs(): Promise<number>;
  stop(): Promise<void>;
}

export interface IngressOptions {
  program: string;
  kubeconfig: string;
  keysNamespace: string;
  /** For Node itself, such as `--cpu-prof`. */
  nodeOptions: readonly string[];
  /** Whether it takes events of Integrations; by default not. */
  hasConnector?: boolean;
}

const readyLimitMs = 60_000;

export async function startIngressProcess(options: IngressOptions): Promise<IngressProcess> {
  const { program, kubeconfig, keysNamespace, nodeOptions, hasConnector = false } = options;
  const [port = 0, observabilityPort = 0] = await freePorts(2);
  const child = spawn(process.execPath, [...nodeOptions, program, "ingress"], {
    // Its access log is written as in production, and discarded.
    stdio: ["ignore", "ignore", "inherit"],
    env: {
      PATH: process.env.PATH,
      KUBECONFIG: kubeconfig,
      POD_NAME: "ingress-under-load",
      NODE_ENV: "production",
      RUNWRIGHT_KEYS_NAMESPACE: keysNamespace,
      RUNWRIGHT_INGRESS_PORT: String(port),
      RUNWRIGHT_CONNECTOR: hasConnector ? "enabled" : "disabled",
      RUNWRIGHT_OBSERVABILITY_PORT: String(observabilityPort),
    },
  });
  const readiness = `http://127.0.0.1:${observabilityPort}/readyz`;
  await waitUntil(
    () => isOk(readiness),
    readyLimitMs,
    () => Promise.resolve("the ingress is ready"),
  );
  return {
    url: `http://127.0.0.1:${port}`,
    cpuMs: () => readCpuMs(`http://127.0.0.1:${observabilityPort}/metrics`),
    stop: () => stop(child),
  };
}

async function readCpuMs(url: string): Promise<number> {
  const text = await fetch(url).then((answer) => answer.text());
  const seconds = /^process_cpu_seconds_total (\S+)$/m.exec(text)?.[1];
  if (seconds === undefined) throw new Error("the ingress does not say what CPU it used");
  return Number(seconds) * 1_000;
}
