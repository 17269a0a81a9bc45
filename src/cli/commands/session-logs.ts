import { keyText } from "../../lib/resource.ts";
import { nameArgument } from "../arguments/name-argument.ts";
import { defineCommand } from "../command.ts";
import { printEvents } from "../gateway/event-log.ts";

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
    const id = nameArgument("Session", invocation);
    const path = `/sessions/${id.namespace}.${id.name}/events?follow=${String(invocation.flags.follow)}`;
    await printEvents(invocation, { namespace: id.namespace, path, what: `session logs ${keyText(id)}` });
    return undefined;
  },
});
