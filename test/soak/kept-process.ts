import { until } from "../support/kube.ts";
import { type InnerProcess, type ProcessName, type ProcessPlace, startProcess } from "./processes.ts";

/** What a process has open. */
export interface Open {
  timers: number;
  watches: number;
  connections: number;
}

/** What a process holds back waits for less than this: a DeliveryLog for 5 s. */
const heldBackMs = 5_001;
/** Between two comparisons of a cache with a fresh list lie 9 to 11 minutes. */
const auditMs = 540_000;
/** Timers that wait for silence, and for ends of what has surely ended, are at least so long. */
const silenceMs = 60_000;

/** One process that is started again where it ends by itself. */
export class KeptProcess {
  readonly name: ProcessName;
  /** How often it was started. */
  starts = 0;
  readonly #place: ProcessPlace;
  /** Objects that a process of before had missed, and timers that it left. */
  readonly #wrong: string[] = [];
  #current: InnerProcess | undefined;
  #replacing: Promise<void> = Promise.resolve();
  #isOver = false;

  constructor(name: ProcessName, place: ProcessPlace) {
    this.name = name;
    this.#place = place;
  }

  async start(): Promise<void> {
    this.starts += 1;
    const started = await startProcess(this.name, this.#place);
    this.#current = started;
    void started.ended.then(() => {
      this.#replacing = this.#replace();
    });
  }

  ready(): Promise<void> {
    return until(`the ${this.name} is ready`, () => this.#running.notReadyBecause() === undefined);
  }

  get open(): Open {
    const { proxy } = this.#place;
    return { timers: this.#running.clock.pending(), watches: proxy.watches(), connections: proxy.connections() };
  }

  /** Has writes go out that are held back, and Events that wait. */
  flush(): void {
    this.#running.clock.ring(0, heldBackMs);
  }

  /** Has the time of such timers come. */
  hurry(): void {
    this.#running.clock.ring(silenceMs, auditMs);
  }

  /** Has every cache compared with a fresh list; what the watches have missed. */
  async missed(): Promise<string[]> {
    const { clock, drifted } = this.#running;
    const audits = clock.pending(auditMs);
    clock.ring(auditMs);
    // Each sets its next timer when it has compared.
    await until(`the caches of the ${this.name} are compared`, () => clock.pending(auditMs) >= audits);
    return [...drifted].map(([resource, count]) => `the ${this.name} has missed changes of ${count} ${resource}`);
  }

  /** Ends it; what it leaves open. */
  async stop(): Promise<string[]> {
    this.#isOver = true;
    await this.#replacing;
    await this.#end();
    return this.#wrong;
  }

  async #replace(): Promise<void> {
    if (this.#isOver) return;
    await this.#end();
    await this.start();
  }

  async #end(): Promise<void> {
    const running = this.#running;
    await running.close();
    const { proxy } = this.#place;
    await until(`the connections of the ${this.name} are closed`, () => proxy.connections() === 0);
    const left = running.clock.pending();
    if (left > 0) this.#wrong.push(`the ${this.name} has ended and left ${left} timers`);
  }

  get #running(): InnerProcess {
    if (!this.#current) throw new Error(`the ${this.name} was not started`);
    return this.#current;
  }
}
