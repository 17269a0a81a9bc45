import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { freePorts } from "../../hack/lib/ports.ts";
import { until } from "../support/kube.ts";
import { programEnvironment } from "../support/programs.ts";

type Name = "controller" | "gateway";
const names: readonly Name[] = ["controller", "gateway"];

export interface OperatorOptions {
  /** The bundled `runwright`. */
  program: string;
  /** Texts of kubeconfigs: each process works under its own account. */
  kubeconfigs: Readonly<Record<Name, string>>;
  release: { namespace: string; keysNamespace: string; sessionsNamespace: string };
  /** For logs and blobs. */
  directory: string;
  /** Beside what both need. */
  environment?: Readonly<Record<string, string>> | undefined;
}

/** The controller and the gateway as processes; one that has ended, whatever of, is started again at once. */
export class Operator {
  readonly sandboxPort: number;
  readonly peoplePort: number;
  readonly #options: OperatorOptions;
  readonly #ports: { controller: number; gateway: number };
  readonly #processes = new Map<Name, ChildProcess>();
  #isStopped = false;

  private constructor(options: OperatorOptions, ports: readonly number[]) {
    this.#options = options;
    const [sandbox = 0, people = 0, controller = 0, gateway = 0] = ports;
    this.sandboxPort = sandbox;
    this.peoplePort = people;
    this.#ports = { controller, gateway };
  }

  /** Resolves when both are ready. */
  static async start(options: OperatorOptions): Promise<Operator> {
    const operator = new Operator(options, await freePorts(4));
    for (const name of names) {
      await writeFile(operator.#kubeconfig(name), options.kubeconfigs[name], { mode: 0o600 });
      operator.#keep(name);
    }
    await until("the controller is ready", () => isReady(operator.#ports.controller));
    await operator.gatewayReady();
    return operator;
  }

  /** SIGKILL; resolves when it is gone. */
  killGateway(): Promise<void> {
    return kill(this.#processes.get("gateway"));
  }

  /** The same; the next one leads once the Lease of this one has lapsed. */
  killController(): Promise<void> {
    return kill(this.#processes.get("controller"));
  }

  gatewayReady(): Promise<void> {
    return until("the gateway is ready", () => isReady(this.#ports.gateway));
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all([...this.#processes.values()].map(kill));
  }

  #kubeconfig(name: Name): string {
    return join(this.#options.directory, `${name}.kubeconfig`);
  }

  #keep(name: Name): void {
    const child = this.#spawn(name);
    this.#processes.set(name, child);
    child.once("exit", () => {
      if (!this.#isStopped) this.#keep(name);
    });
  }

  #spawn(name: Name): ChildProcess {
    const { program, release, directory, environment } = this.#options;
    const child = spawn(process.execPath, [program, name], {
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        ...programEnvironment(program),
        KUBECONFIG: this.#kubeconfig(name),
        POD_NAME: `${name}-under-test`,
        RUNWRIGHT_NAMESPACE: release.namespace,
        RUNWRIGHT_KEYS_NAMESPACE: release.keysNamespace,
        RUNWRIGHT_SESSIONS_NAMESPACE: release.sessionsNamespace,
        RUNWRIGHT_SANDBOX_IMAGE: "sandbox:1",
        RUNWRIGHT_GATEWAY_URL: `wss://localhost:${this.sandboxPort}`,
        RUNWRIGHT_SANDBOX_PORT: String(this.sandboxPort),
        RUNWRIGHT_PEOPLE_PORT: String(this.peoplePort),
        RUNWRIGHT_OBSERVABILITY_PORT: String(this.#ports[name]),
        RUNWRIGHT_BLOB_DIRECTORY: join(directory, "blobs"),
        ...environment,
      },
    });
    const log = createWriteStream(join(directory, `${name}.log`), { flags: "a" });
    child.stdout.pipe(log);
    child.stderr.pipe(log);
    return child;
  }
}

function isReady(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );
}

async function kill(child: ChildProcess | undefined): Promise<void> {
  if (child?.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill("SIGKILL");
  await gone;
}
