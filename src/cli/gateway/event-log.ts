import { SessionEvent } from "../../api/runtime/session-event.ts";
import { visibleText } from "../../api/runtime/text.ts";
import { sleep } from "../../lib/sleep.ts";
import { CliError } from "../cli-error.ts";
import type { Invocation } from "../command.ts";
import { EventText } from "../output/event-text.ts";
import { connectToGateway } from "./gateway-connection.ts";
import { gatewayTarget } from "./gateway-target.ts";
import { gatewayToken } from "./gateway-token.ts";
import { type ServerEvent, serverEvents } from "./server-events.ts";

/** The command fails after this many connections in a row without an event. */
const mostFailures = 10;
const retryMs = 1_000;

/** Which events of the gateway are printed. */
export interface EventLog {
  namespace: string;
  /** Of the gateway's API. */
  path: string;
  /** Of messages, such as `session logs demo/upgrade`. */
  what: string;
  /** Begins after this event. */
  after?: string;
  /** Only those of this attempt; of all where it is left out. */
  attempt?: number;
}

/** Prints events until they end. @throws CliError */
export async function printEvents(invocation: Invocation, log: EventLog): Promise<void> {
  const reader = new LogReader(invocation, log);
  // The gateway ends long streams, and replicas come and go: the next connection continues after the last event.
  while (!(await reader.read())) await sleep(invocation.clock, retryMs);
}

class LogReader {
  readonly #invocation: Invocation;
  readonly #log: EventLog;
  readonly #text = new EventText();
  #lastEventId: string | undefined;
  #wasReached = false;
  #failures = 0;

  constructor(invocation: Invocation, log: EventLog) {
    this.#invocation = invocation;
    this.#log = log;
    this.#lastEventId = log.after;
  }

  /** Prints the events of one connection; returns whether the log has ended. @throws CliError */
  async read(): Promise<boolean> {
    try {
      const events = await open(this.#invocation, this.#log, this.#lastEventId);
      this.#wasReached = true;
      for await (const event of events) if (this.#print(event)) return true;
    } catch (error) {
      if (error instanceof CliError) throw error;
      this.#failures += 1;
      if (!this.#wasReached || this.#failures > mostFailures) {
        throw new CliError(`the gateway cannot be reached: ${error instanceof Error ? error.message : "no reason"}`);
      }
    }
    return false;
  }

  /** Returns whether the event was the end of the log. */
  #print({ id, name, data }: ServerEvent): boolean {
    const { io, format } = this.#invocation;
    // A newer gateway may send kinds of events that this plugin does not know.
    const event = name === "end" ? undefined : SessionEvent.safeParse(JSON.parse(data)).data;
    const { attempt = Infinity } = this.#log;
    if (name === "end" || (event && event.attempt > attempt)) {
      io.write(this.#text.end());
      return true;
    }
    if (format === "json") io.write(`${visibleText(data)}\n`);
    else if (event) io.write(this.#text.take(event));
    this.#lastEventId = id;
    this.#failures = 0;
    return false;
  }
}

async function open(
  invocation: Invocation,
  { namespace, path, what }: EventLog,
  lastEventId: string | undefined,
): Promise<AsyncGenerator<ServerEvent>> {
  const target = gatewayTarget(invocation, namespace);
  const cluster = invocation.cluster();
  const token = await gatewayToken(cluster, target);
  const socket = await connectToGateway(cluster, target);
  return serverEvents(socket, path, { token, lastEventId, what });
}
