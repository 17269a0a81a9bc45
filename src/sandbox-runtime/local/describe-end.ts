import type { Ended } from "./agent-channel.ts";

/** How a command ended, for people. */
export function describeEnd({ code, signal, error, lost }: Ended): string {
  if (lost) return "the agent's container ended, perhaps because it ran out of memory";
  if (error === "ENOENT") return "could not be started: there is no such program or directory";
  if (error === "EACCES") return "could not be started: it may not be executed";
  if (error === "ENOEXEC")
    return "could not be started: it is no program for this system, and no script with a first line such as #!/bin/sh";
  if (error !== undefined) return `could not be started: ${error}`;
  if (signal === "SIGKILL") return "was ended by SIGKILL, perhaps because it ran out of memory";
  return signal === null ? `exited with status ${code ?? "unknown"}` : `was ended by ${signal}`;
}

/** How the agent ended, for people. */
export function describeAgentEnd(end: Ended): string {
  return end.lost ? describeEnd(end) : `the agent ${describeEnd(end)}`;
}
