import { randomBytes } from "node:crypto";
import type { Duplex } from "node:stream";

import type { StreamUse } from "../../src/api/runtime/messages.ts";
import { Prompt, Session } from "../../src/api/v1alpha1/index.ts";
import type { KubeClient } from "../../src/kube/client.ts";
import type { KubeObject, Resource } from "../../src/lib/resource.ts";
import { clientOf, until } from "../../test/support/kube.ts";
import type { Release } from "./release.ts";
import { Sandboxes } from "./sandboxes.ts";
import type { SimulatedRuntime } from "./simulated-runtime.ts";
import { issueToken, startSession } from "./tenant.ts";

/** What an attacker's process is started with. */
export interface SceneOptions {
  kubeconfig: string;
  /** The hostile namespace. */
  namespace: string;
  release: Pick<Release, "namespace" | "ingressUrl" | "sandboxUrl" | "peopleUrl" | "ca">;
}

const clearLimitMs = 300_000;
/** Bytes of a workspace that a hostile runtime sends before it breaks off, so that the disk does not fill. */
const brokenOffAt = 128 * 2 ** 20;

/** The hostile namespace, and what its sandboxes do. */
export class Scene {
  readonly options: SceneOptions;
  readonly client: KubeClient;
  readonly sandboxes: Sandboxes;
  /** A token of its account for the API server. */
  token = "";
  /** Whether its runtimes send workspaces that are to be saved. */
  sendsWorkspaces = false;
  workspacesBegun = 0;
  #isConnecting = false;
  #made = 0;

  private constructor(options: SceneOptions) {
    const { kubeconfig, namespace, release } = options;
    const connection = clientOf({ file: kubeconfig });
    this.options = options;
    this.client = connection.client;
    this.sandboxes = new Sandboxes({
      client: this.client,
      namespace,
      release,
      localAddress: "127.0.2.1",
      runs: () => this.#isConnecting,
      join: (use, stream) => this.#join(use, stream),
    });
  }

  static async open(options: SceneOptions): Promise<Scene> {
    const scene = new Scene(options);
    scene.token = await issueToken(scene.client, options.namespace);
    return scene;
  }

  /** Another name each time. */
  nextName(): string {
    this.#made += 1;
    return `hostile-${this.#made}`;
  }

  /** Starts sessions and resolves when the runtimes of all are ready. */
  async connect(count: number, idleTimeoutSeconds = 86_400): Promise<void> {
    this.#isConnecting = true;
    const { namespace } = this.options;
    for (let index = 0; index < count; index += 1) {
      await startSession(this.client, { namespace, name: this.nextName() }, idleTimeoutSeconds);
    }
    const areReady = (): boolean => this.sandboxes.runtimes.size >= count;
    await until("the hostile namespace's sandboxes are ready", areReady);
    this.#isConnecting = false;
  }

  get runtimes(): SimulatedRuntime[] {
    return [...this.sandboxes.runtimes.values()];
  }

  /** Deletes all that the namespace has, and resolves when it is gone. */
  async clear(): Promise<void> {
    const isEmpty = async (): Promise<boolean> => {
      const left = [await this.#remove(Prompt), await this.#remove(Session)];
      return left.every((count) => count === 0) && this.sandboxes.size === 0;
    };
    await until("what the hostile namespace had is gone", isEmpty, clearLimitMs);
  }

  /** How many there were. */
  async #remove<T extends KubeObject>(resource: Resource<T>): Promise<number> {
    const { namespace } = this.options;
    const { items } = await this.client.list(resource, { namespace, metadataOnly: true });
    const left = items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    await Promise.all(left.map(({ metadata: { name = "" } }) => this.client.delete(resource, { namespace, name })));
    return items.length;
  }

  #join(use: StreamUse, stream: Duplex): void {
    if ("port" in use) stream.once("data", () => stream.end("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"));
    else if (use.workspace === "save" && this.sendsWorkspaces) {
      this.workspacesBegun += 1;
      this.#send(stream);
    } else stream.destroy();
  }

  #send(stream: Duplex): void {
    const piece = randomBytes(2 ** 20);
    const next = (sent: number): void => {
      if (!this.sendsWorkspaces || sent >= brokenOffAt) stream.destroy();
      else stream.write(piece, (error) => error ?? next(sent + piece.length));
    };
    next(0);
  }
}
