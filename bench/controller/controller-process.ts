import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";

import { freePorts } from "../../hack/lib/ports.ts";
import { waitUntil } from "../../hack/lib/wait.ts";
import { programEnvironment } from "../../test/support/programs.ts";
import { isOk, stop } from "../children.ts";
import { type ControllerFigures, readFigures } from "./controller-figures.ts";
import { release } from "./stage.ts";

interface ControllerOptions {
  kubeconfig: string;
  program: string;
  profile?: string | undefined;
}

const readyLimitMs = 120_000;
/** Nothing listens there: what the gateway would do is stood in for at the API server. */
const gatewayPort = 8443;

/** `runwright controller` as the image holds it, a process of its own. */
export class ControllerProcess {
  readonly #child: ChildProcess;
  readonly #port: number;
  #isEnding = false;
  /** When the process was started, by `performance.now()`. */
  readonly startedMs = performance.now();

  private constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.#port = port;
    // Nothing that is waited for will come, so this ends the bench.
    child.once("exit", (code, signal) => {
      if (this.#isEnding) return;
      const why = "as it does where the machine has so much other work that it cannot renew its Lease for 10 s";
      throw new Error(`the controller ended by itself (${signal ?? code}), ${why}: nothing can be measured now`);
    });
  }

  /** Resolves when its caches are filled. */
  static async start({ kubeconfig, program, profile }: ControllerOptions): Promise<ControllerProcess> {
    const [port = 0] = await freePorts(1);
    const nodeOptions = profile === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${profile}`];
    const child = spawn(process.execPath, [...nodeOptions, program, "controller"], {
      stdio: ["ignore", "ignore", "inherit"],
      env: {
        ...programEnvironment(program),
        KUBECONFIG: kubeconfig,
        NODE_ENV: "production",
        POD_NAME: "controller-0",
        RUNWRIGHT_NAMESPACE: release.namespace,
        RUNWRIGHT_KEYS_NAMESPACE: release.keysNamespace,
        RUNWRIGHT_SESSIONS_NAMESPACE: release.sessionsNamespace,
        RUNWRIGHT_TOKENS_NAMESPACE: release.tokensNamespace,
        RUNWRIGHT_SANDBOX_IMAGE: "sandbox:1",
        RUNWRIGHT_GATEWAY_URL: `wss://localhost:${gatewayPort}`,
        RUNWRIGHT_SANDBOX_PORT: String(gatewayPort),
        RUNWRIGHT_OBSERVABILITY_PORT: String(port),
      },
    });
    const started = new ControllerProcess(child, port);
    const isReady = (): Promise<boolean> => isOk(`http://127.0.0.1:${port}/readyz`);
    await waitUntil(isReady, readyLimitMs, () => Promise.resolve("the controller is ready"));
    return started;
  }

  async figures(): Promise<ControllerFigures> {
    const answer = await fetch(`http://127.0.0.1:${this.#port}/metrics`);
    return readFigures(await answer.text());
  }

  /** As a lost node ends it: its Lease stays. */
  async kill(): Promise<void> {
    this.#isEnding = true;
    const gone = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await gone;
  }

  stop(): Promise<void> {
    this.#isEnding = true;
    return stop(this.#child);
  }
}
