import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";

import { freePorts } from "../../../hack/lib/ports.ts";
import { programEnvironment } from "../../support/programs.ts";
import { waitFor } from "./world.ts";

/** Other tests may keep the machine busy. */
const startLimitMs = 120_000;

/** The ingress as an operating system's process, at one address however often it is started. */
export interface IngressProcess {
  url: string;
  /** The most memory that it ever had, in bytes, by Linux' count. */
  mostMemory(): Promise<number>;
  /** Standard output and error of all its starts, whole once it has ended. */
  output(): string;
  /** Resolves when it is ready; rejects with its output where it ends instead. */
  start(): Promise<void>;
  /** Why it says that it is not ready; undefined where it is, or does not answer. */
  notReadyBecause(): Promise<string | undefined>;
  /** Ends it without a word, if it runs. */
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
  let child: ChildProcess | undefined;
  /** Its exit status, once nothing more comes out of it. */
  let ended: Promise<number | null> = Promise.resolve(null);
  const output: string[] = [];

  function signal(name: NodeJS.Signals): Promise<number | null> {
    child?.kill(name);
    return ended;
  }

  const readiness = (): Promise<Response | undefined> =>
    fetch(`http://127.0.0.1:${observabilityPort}/readyz`).catch(() => undefined);

  return {
    url: `http://127.0.0.1:${port}`,
    async mostMemory() {
      const status = await readFile(`/proc/${String(child?.pid)}/status`, "utf8");
      return 1_024 * Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]);
    },
    output: () => output.join(""),
    async start() {
      const env = {
        ...programEnvironment(program),
        KUBECONFIG: kubeconfig,
        POD_NAME: "ingress-under-test",
        RUNWRIGHT_KEYS_NAMESPACE: keysNamespace,
        RUNWRIGHT_INGRESS_PORT: String(port),
        RUNWRIGHT_OBSERVABILITY_PORT: String(observabilityPort),
      };
      const started = spawn(process.execPath, [program, "ingress"], { env, stdio: ["ignore", "pipe", "pipe"] });
      child = started;
      started.stdout.on("data", (text: Buffer) => output.push(text.toString()));
      started.stderr.on("data", (text: Buffer) => output.push(text.toString()));
      ended = once(started, "close").then(([status]) => status as number | null);
      const isReady = async (): Promise<boolean> => {
        if (started.exitCode !== null) throw new Error(`the ingress has ended instead: ${output.join("")}`);
        return (await readiness())?.ok ?? false;
      };
      await waitFor("the ingress is ready", isReady, startLimitMs).catch(async (error: unknown) => {
        throw new Error(`${(await (await readiness())?.text()) ?? "no answer"}\n${output.join("")}`, { cause: error });
      });
    },
    async notReadyBecause() {
      const answer = await readiness();
      return answer?.ok === false ? answer.text() : undefined;
    },
    async kill() {
      await signal("SIGKILL");
    },
    terminate: () => signal("SIGTERM"),
  };
}
