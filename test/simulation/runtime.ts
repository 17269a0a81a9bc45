import { protocolTimes } from "../../src/api/runtime/limits.ts";
import { type GatewayMessage, type PromptReference } from "../../src/api/runtime/messages.ts";
import { labels } from "../../src/api/v1alpha1/index.ts";
import type { Pod } from "../../src/kube/core-resources.ts";
import type { Timer } from "../../src/lib/clock.ts";
import type { Cluster } from "./cluster.ts";
import type { RuntimeSocket, SimulatedGateway } from "./gateway-process.ts";

/** Milliseconds that an agent takes, at least and at most; and how many of its prompts never end. */
const agent = { shortestMs: 500, longestMs: 60_000, hangs: 0.05, fails: 0.2 };
const bootMs = { shortest: 200, longest: 20_000 };
/** Milliseconds until a workspace is packed, and how often that fails. */
const packing = { shortestMs: 100, longestMs: 20_000, fails: 0.1 };
/** Milliseconds after which a runtime asks again for its workspace. */
const restoreMs = 15_000;

/** What a runtime tells the rest of the simulation. */
export interface RuntimeTells {
  exit: (exitCode: number) => void;
  /** A gateway has acknowledged the outcome of this prompt as stored. */
  acknowledged: (prompt: PromptReference) => void;
  /** It has its bundle, as JSON; `createTime` is when its pod was created. */
  began: (bundle: string, createTime: string) => void;
  /** Its session's saved workspace has come; undefined: there is none. */
  restored: (sessionUid: string, workspace: string | undefined) => void;
}

interface Report {
  seq: number;
  outcome?: { prompt: PromptReference };
}

/** The runtime of one sandbox: boots, works at prompts, beats, and connects again whenever its connection ends. */
export class Runtime {
  readonly name: string;
  readonly #cluster: Cluster;
  readonly #gateways: () => readonly SimulatedGateway[];
  readonly #podUid: string;
  readonly #target: { sessionUid: string; attempt: number };
  readonly #tells: RuntimeTells;
  readonly #timers = new Set<Timer>();
  readonly #unacknowledged: Report[] = [];
  readonly #known = new Set<string>();
  /** UIDs of prompts that a save has ended. */
  readonly #stopped = new Set<string>();
  readonly #open = new Map<string, PromptReference>();
  readonly #startedMs: number;
  readonly #createTime: string;
  #seq = 0;
  #connections = 0;
  #socket: RuntimeSocket | undefined;
  #isWelcome = false;
  #state: "new" | "restoring" | "booting" | "ready" = "new";
  /** UIDs of the prompts that were worked at, which stand for what is in the workspace. */
  #workspace: string[] = [];
  #isOver = false;

  constructor(cluster: Cluster, gateways: () => readonly SimulatedGateway[], { metadata }: Pod, tells: RuntimeTells) {
    const own = metadata.labels ?? {};
    this.name = metadata.name ?? "";
    this.#cluster = cluster;
    this.#gateways = gateways;
    this.#podUid = metadata.uid ?? "";
    this.#target = { sessionUid: own[labels.sessionUid] ?? "", attempt: Number(own[labels.attempt]) };
    this.#tells = tells;
    this.#startedMs = cluster.clock.monotonicMs();
    this.#createTime = metadata.creationTimestamp ?? "";
    this.#after(100, () => this.#connect());
    this.#beat();
  }

  /** Its containers end with this code. */
  crash(): void {
    this.die();
    this.#tells.exit(137);
  }

  /** It runs on, and neither says nor hears anything more. */
  freeze(): void {
    this.#isOver = true;
    for (const timer of this.#timers) timer.cancel();
  }

  /** Its connection breaks. */
  disconnect(): void {
    this.#socket?.drop();
    this.#lost();
  }

  die(): void {
    this.freeze();
    this.#socket?.drop();
  }

  #after(ms: number, run: () => void): void {
    const timer = this.#cluster.clock.setTimeout(() => {
      this.#timers.delete(timer);
      if (!this.#isOver) run();
    }, ms);
    this.#timers.add(timer);
  }

  #between(shortestMs: number, longestMs: number): number {
    return shortestMs + this.#cluster.random.below(longestMs - shortestMs);
  }

  #connect(): void {
    const gateways = this.#gateways();
    if (this.#isOver || this.#socket || gateways.length === 0) {
      if (!this.#isOver && !this.#socket) this.#after(2_000, () => this.#connect());
      return;
    }
    const gateway = this.#cluster.random.pick(gateways);
    this.#cluster.network.send(this.#cluster.network.open(), () => {
      if (this.#isOver || this.#socket) return;
      const socket: { own?: RuntimeSocket } = {};
      const isOwn = (): boolean => socket.own !== undefined && this.#socket === socket.own;
      const answer = gateway.connect(this.#target, this.#podUid, {
        message: (text) => {
          if (isOwn() && !this.#isOver) this.#receive(JSON.parse(text) as GatewayMessage);
        },
        closed: (code) => {
          if (!isOwn()) return;
          if (code === 4010) this.#leave();
          else this.#lost();
        },
      });
      if (answer === "over") this.#leave();
      else if (answer === "retry") this.#after(this.#between(500, 4_000), () => this.#connect());
      else this.#greet((socket.own = answer));
    });
  }

  #greet(socket: RuntimeSocket): void {
    this.#socket = socket;
    this.#isWelcome = false;
    this.#connections += 1;
    socket.say({
      type: "hello",
      protocol: 1,
      needsBundle: this.#state === "new",
      isReady: this.#state === "ready",
      openPrompts: [...this.#open.values()],
      connection: this.#connections,
      runningMs: Math.ceil(this.#cluster.clock.monotonicMs() - this.#startedMs),
    });
  }

  #lost(): void {
    this.#socket = undefined;
    this.#isWelcome = false;
    this.#after(this.#between(100, protocolTimes.reconnectMs), () => this.#connect());
  }

  #leave(): void {
    if (this.#isOver) return;
    this.die();
    this.#tells.exit(0);
  }

  #receive(message: GatewayMessage): void {
    switch (message.type) {
      case "welcome":
        this.#isWelcome = true;
        this.#acknowledged(message.acknowledged);
        for (const waiting of this.#unacknowledged) this.#socket?.say(waiting);
        break;
      case "bundle":
        if (this.#state !== "new") break;
        this.#tells.began(JSON.stringify(message.bundle), this.#createTime);
        this.#begin(message.bundle.restores !== undefined);
        break;
      case "prompt":
        this.#take(message.prompt);
        break;
      case "cancel": {
        const prompt = this.#open.get(message.promptUid);
        if (prompt) this.#finish(prompt, "cancelled");
        break;
      }
      case "ack":
        this.#acknowledged(message.seq);
        break;
      case "shutdown":
        this.#leave();
        break;
      case "openStream":
        this.#dial(message);
        break;
      case "assigned":
      case "saving":
      case "tunnels":
    }
  }

  #begin(restores: boolean): void {
    if (!restores) this.#boot();
    else this.#askForWorkspace();
  }

  #askForWorkspace(): void {
    this.#state = "restoring";
    if (this.#isWelcome) this.#socket?.say({ type: "restore" });
    this.#after(restoreMs, () => {
      if (this.#state === "restoring") this.#askForWorkspace();
    });
  }

  #dial({ stream, use }: Extract<GatewayMessage, { type: "openStream" }>): void {
    const socket = this.#socket;
    if ("port" in use) return;
    if (use.workspace === "restore") socket?.dial(stream, { takes: (workspace) => this.#restored(workspace) });
    else {
      // The prompts that it works at end with the save.
      for (const prompt of [...this.#open.values()]) {
        this.#stopped.add(prompt.uid);
        this.#finish(prompt, "cancelled");
      }
      this.#after(this.#between(packing.shortestMs, packing.longestMs), () => {
        const sends = JSON.stringify(this.#workspace);
        socket?.dial(stream, { sends, breaksOff: this.#cluster.random.happens(packing.fails) });
      });
    }
  }

  /** Undefined: it broke off, and is asked for again. */
  #restored(workspace: string | undefined): void {
    if (this.#isOver || this.#state !== "restoring" || workspace === undefined) return;
    this.#tells.restored(this.#target.sessionUid, workspace === "" ? undefined : workspace);
    if (workspace !== "") this.#workspace = JSON.parse(workspace) as string[];
    this.#boot();
  }

  #boot(): void {
    this.#state = "booting";
    this.#after(this.#between(bootMs.shortest, bootMs.longest), () => {
      this.#state = "ready";
      this.#report({ type: "ready" });
    });
  }

  #take(prompt: PromptReference): void {
    if (this.#known.has(prompt.uid)) return;
    this.#known.add(prompt.uid);
    this.#open.set(prompt.uid, prompt);
    if (this.#cluster.random.happens(agent.hangs)) return;
    const verdict = this.#cluster.random.happens(agent.fails) ? "failed" : "succeeded";
    this.#after(this.#between(agent.shortestMs, agent.longestMs), () => this.#finish(prompt, verdict));
  }

  #finish(prompt: PromptReference, verdict: "succeeded" | "failed" | "cancelled"): void {
    if (!this.#open.delete(prompt.uid)) return;
    this.#workspace.push(prompt.uid);
    this.#report({ type: "promptFinished", outcome: { prompt, verdict } });
  }

  #report(said: { type: string; outcome?: { prompt: PromptReference; verdict: string } }): void {
    this.#seq += 1;
    const message = { ...said, seq: this.#seq };
    this.#unacknowledged.push(message);
    if (this.#isWelcome) this.#socket?.say(message);
  }

  #acknowledged(seq: number): void {
    while ((this.#unacknowledged[0]?.seq ?? Infinity) <= seq) {
      const { outcome } = this.#unacknowledged.shift() ?? {};
      // Of what was stopped for a save the controller says how it ended.
      if (outcome && !this.#stopped.has(outcome.prompt.uid)) this.#tells.acknowledged(outcome.prompt);
    }
  }

  #beat(): void {
    if (this.#isWelcome) this.#socket?.say({ type: "heartbeat" });
    this.#after(protocolTimes.heartbeatMs, () => this.#beat());
  }
}
