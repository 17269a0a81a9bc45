import { KubeError } from "../../src/kube/errors.ts";
import type {
  ApiAnswer,
  ApiRequest,
  RequestLimits,
  StreamLimits,
  StreamSink,
  Transport,
} from "../../src/kube/transport.ts";
import type { ApiServer } from "./api-server/api-server.ts";
import { eventOf, Refused, type StoredEvent } from "./api-server/store.ts";
import type { Faults } from "./faults.ts";
import type { Channel, Network } from "./network.ts";
import type { PlantedBug, Tampered } from "./planted-bug.ts";
import type { ProcessClock } from "./virtual-clock.ts";

export interface TransportDeps {
  api: ApiServer;
  network: Network;
  clock: ProcessClock;
  faults: Faults;
  bug?: PlantedBug | undefined;
  /** Names the process in what a history prints. */
  name: string;
}

/** One process's connections to the simulated API server: requests and answers take the time that the network gives them. */
export class ProcessTransport implements Transport {
  readonly #deps: TransportDeps;

  constructor(deps: TransportDeps) {
    this.#deps = deps;
  }

  send(request: ApiRequest, limits: RequestLimits): Promise<ApiAnswer> {
    const { network, api, faults } = this.#deps;
    const call = this.#begin<ApiAnswer>(limits);
    const channel = network.open();
    network.send(channel, () => {
      const fault = faults.ofRequest();
      const tampered = this.#tampered(request);
      if (fault === "lost") call.fail("ConnectionFailed", "lost");
      else if (typeof fault === "object") call.answer(fault);
      else {
        const answer = tampered && "answer" in tampered ? tampered.answer : api.answer(tampered?.request ?? request);
        if (fault === "unanswered") call.fail("ConnectionFailed", "lost");
        else network.send(channel, () => call.answer(answer));
      }
    });
    return call.promise;
  }

  stream(request: ApiRequest, limits: StreamLimits, sink: StreamSink): Promise<ApiAnswer | undefined> {
    const { network, faults } = this.#deps;
    const call = this.#begin<ApiAnswer | undefined>({ ...limits, timeoutMs: Infinity });
    const channel = network.open();
    network.send(channel, () => {
      const fault = faults.ofRequest();
      if (fault === undefined) this.#watch(request.path, { channel, call, sink });
      else if (typeof fault === "object") call.answer(fault);
      else call.fail("ConnectionFailed", "lost");
    });
    return call.promise;
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  #tampered(request: ApiRequest): Tampered {
    const { bug, api, name, faults } = this.#deps;
    return bug?.tamper?.(request, { process: name, api, random: faults.random });
  }

  #heard(event: StoredEvent): StoredEvent | undefined {
    const { bug, api, name, faults } = this.#deps;
    return bug?.hears ? bug.hears(event, { process: name, api, random: faults.random }) : event;
  }

  #watch(
    path: string,
    { channel, call, sink }: { channel: Channel; call: Call<ApiAnswer | undefined>; sink: StreamSink },
  ): void {
    const { api, network, clock, faults } = this.#deps;
    const send = (line: Buffer): void =>
      network.send(channel, () =>
        clock.inTurn(() => {
          if (faults.breaksWatch()) call.fail("ConnectionFailed", "lost");
          else if (!call.isOver) deliver(line, sink, call);
        }),
      );
    try {
      const { selects, plural, missed } = api.changesFor(path);
      for (const event of missed) send(api.store.lineOf(event));
      const stop = api.store.onChangeOf(plural, (change) => {
        const event = eventOf(change, selects);
        const heard = event && this.#heard(event);
        if (heard) send(api.store.lineOf(heard));
      });
      call.atEnd(() => {
        stop();
        network.cut(channel);
      });
      // The server ends each watch after the time that was asked for.
      const seconds = Number(new URL(path, "http://api").searchParams.get("timeoutSeconds") ?? 300);
      const end = clock.setTimeout(() => call.answer(undefined), seconds * 1_000);
      call.atEnd(() => end.cancel());
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      const { status: code, reason, message } = error;
      const object = { kind: "Status", code, reason, message };
      send(Buffer.from(`${JSON.stringify({ type: "ERROR", object })}\n`));
    }
  }

  #begin<Answer>({ timeoutMs, signal }: Pick<RequestLimits, "timeoutMs" | "signal">): Call<Answer> {
    const call = new Call<Answer>(this.#deps.clock);
    if (Number.isFinite(timeoutMs)) {
      const timer = this.#deps.clock.setTimeout(() => call.fail("Timeout", "lost"), timeoutMs);
      call.atEnd(() => timer.cancel());
    }
    const abort = (): void => call.fail("Aborted", "lost");
    if (signal?.aborted) abort();
    signal?.addEventListener("abort", abort, { once: true });
    call.atEnd(() => signal?.removeEventListener("abort", abort));
    return call;
  }
}

function deliver(line: Buffer, sink: StreamSink, call: Call<ApiAnswer | undefined>): void {
  try {
    sink(line);
  } catch (error) {
    call.reject(error);
  }
}

/** One exchange, which ends once, and only while its process lives. */
class Call<Answer> {
  readonly promise: Promise<Answer>;
  readonly #clock: ProcessClock;
  readonly #ends: (() => void)[] = [];
  readonly #settle: { resolve: (answer: Answer) => void; reject: (error: unknown) => void };
  isOver = false;

  constructor(clock: ProcessClock) {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    this.promise = promise;
    this.#settle = { resolve, reject };
    this.#clock = clock;
  }

  answer(answer: Answer): void {
    this.#end(() => this.#settle.resolve(answer));
  }

  reject(error: unknown): void {
    this.#end(() => this.#settle.reject(error));
  }

  fail(reason: string, delivery: "lost" | "unsent"): void {
    this.reject(new KubeError({ message: reason, status: 0, reason, delivery }));
  }

  /** Calls `run` at the end; at once where that has been. */
  atEnd(run: () => void): void {
    if (this.isOver) run();
    else this.#ends.push(run);
  }

  #end(settle: () => void): void {
    this.#clock.inTurn(() => {
      if (this.isOver) return;
      this.isOver = true;
      for (const run of this.#ends) run();
      settle();
    });
  }
}
