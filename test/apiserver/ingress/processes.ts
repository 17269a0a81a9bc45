import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";

import { freePorts } from "../../../hack/cluster/ports.ts";
import { waitFor } from "./world.ts";

/** Other tests may keep the machine busy. */
const startLimitMs = 60_000;

/** The ingress as an operating system's process, at one address however often it is started. */
export interface IngressProcess {
  url: string;
  /** Standard output and error of all its starts. */
  output(): string;
  start(): Promise<void>;
  /** Ends it without a word. */
  kill(): Promise<void>;
  /** Asks it to end; gives its exit status. */
  terminate(): Promise<number | null>;
}

/** What a process is started with. */
export interface IngressProcessOptions {
  /** The bundled `runwright` program. */
  program: string;
  kubeconfig: string;
  keysNamespace: string;
}

/** Prepares a process; it is not running yet. */
export async function prepareIngressProcess(options: IngressProcessOptions): Promise<IngressProcess> {
  const { program, kubeconfig, keysNamespace } = options;
  const [port = 0, observabilityPort = 0] = await freePorts(2);
  const output: string[] = [];
  let child: ChildProcess | undefined;

  async function end(signal: NodeJS.Signals): Promise<number | null> {
    const ending = child;
    child = undefined;
    if (!ending) return null;
    const ended = once(ending, "exit");
    ending.kill(signal);
    await ended;
    return ending.exitCode;
  }

  return {
    url: `http://127.0.0.1:${port}`,
    output: () => output.join(""),
    async start() {
      const env = {
        PATH: process.env.PATH,
        KUBECONFIG: kubeconfig,
        POD_NAME: "ingress-under-test",
        RUNWRIGHT_KEYS_NAMESPACE: keysNamespace,
        RUNWRIGHT_INGRESS_PORT: String(port),
        RUNWRIGHT_OBSERVABILITY_PORT: String(observabilityPort),
      };
      child = spawn(process.execPath, [program, "ingress"], { env, stdio: ["ignore", "pipe", "pipe"] });
      child.stdout?.on("data", (text: Buffer) => output.push(text.toString()));
      child.stderr?.on("data", (text: Buffer) => output.push(text.toString()));
      await waitFor("the ingress is ready", () => isReady(observabilityPort), startLimitMs);
    },
    async kill() {
      await end("SIGKILL");
    },
    terminate: () => end("SIGTERM"),
  };
}

function isReady(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );
}
