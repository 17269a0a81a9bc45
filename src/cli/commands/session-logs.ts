import { SessionEvent } from "../../api/runtime/session-event.ts";
import { sleep } from "../../lib/sleep.ts";
import { nameArgument } from "../arguments/name-argument.ts";
import { keyText } from "../../lib/resource.ts";
import { CliError } from "../cli-error.ts";
import { defineCommand, type Invocation } from "../command.ts";
import { EventText } from "../output/event-text.ts";
import { connectToGateway } from "../gateway/gateway-connection.ts";
import { gatewayTarget } from "../gateway/gateway-target.ts";
import { gatewayToken } from "../gateway/gateway-token.ts";
import { type ServerEvent, serverEvents } from "../gateway/server-events.ts";

/** The command fails after this many connections in a row without an event. */
const mostFailures = 10;
const retryMs = 1_000;

const flags = {
  follow: { short: "f", about: "print new output until the session is finished" },
} as const;

export const sessionLogs = defineCommand({
  name: "session logs",
  summary: "show the output of a Session: clone, hooks, agent and tools",
  details:
    "Works also after the session's pod is gone. Lines that begin with # come from Runwright. With -o json each event is a line of JSON. Needs permission to get sessions/log, which the role view has.",
  parameters: ["SESSION"],
  flags,
  formats: ["json"],
  examples: ["session logs demo/upgrade -f", "session logs upgrade -n demo -o json"],
  async run(invocation) {
    const reader = new LogReader(invocation);
    // The gateway ends long streams, and replicas come and go: the next connection continues after the last event.
    while (!(await reader.read())) await sleep(invocation.clock, retryMs);
    return undefined;
  },
});

class LogReader {
  readonly #invocation: Invocation<typeof flags>;
  readonly #text = new EventText();
  #lastEventId: string | undefined;
  #wasReached = false;
  #failures = 0;

  constructor(invocation: Invocation<typeof flags>) {
    this.#invocation = invocation;
  }

  /** Prints the events of one connection; returns whether the log has ended. @throws CliError */
  async read(): Promise<boolean> {
    try {
      const events = await open(this.#invocation, this.#lastEventId);
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
    if (name === "end") {
      io.write(this.#text.end());
      return true;
    }
    // A newer gateway may send kinds of events that this plugin does not know.
    const event = SessionEvent.safeParse(JSON.parse(data)).data;
    if (format === "json") io.write(`${data}\n`);
    else if (event) io.write(this.#text.take(event));
    this.#lastEventId = id;
    this.#failures = 0;
    return false;
  }
}

async function open(
  invocation: Invocation<typeof flags>,
  lastEventId: string | undefined,
): Promise<AsyncGenerator<ServerEvent>> {
  const id = nameArgument("Session", invocation);
  const target = gatewayTarget(invocation, id.namespace);
  const cluster = invocation.cluster();
  const token = await gatewayToken(cluster, target);
  const path = `/sessions/${id.namespace}.${id.name}/events?follow=${String(invocation.flags.follow)}`;
  const socket = await connectToGateway(cluster, target);
  return serverEvents(socket, path, { token, lastEventId, what: `session logs ${keyText(id)}` });
}
