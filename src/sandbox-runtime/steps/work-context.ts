import { join } from "node:path";
import type { Bundle, BundleRepository } from "../../api/runtime/bundle.ts";
import type { SandboxEvent } from "../../api/runtime/messages.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Random } from "../../lib/random.ts";
import type { ImageSource } from "../gateway/image-client.ts";
import type { AgentChannel, Command, Ended } from "../local/agent-channel.ts";
import type { RuntimeLog } from "../log.ts";
import type { BootMode } from "./environment.ts";
import type { TunnelUrls } from "../tunnels/tunnel-urls.ts";
import { OutputRelay, type OutputOrigin } from "./output-relay.ts";

/** What boot and prompts work with. */
export interface WorkContext {
  bundle: Bundle;
  agent: Pick<AgentChannel, "run" | "write" | "introduction" | "isClosed">;
  clock: Clock;
  random: Random;
  log: RuntimeLog;
  publish: (event: SandboxEvent) => void;
  /** What must not be told; grows with each credential that is minted. */
  secrets: readonly string[];
  /** Shared with the agent's container. */
  socketDirectory: string;
  mode: BootMode;
  tunnels: Pick<TunnelUrls, "wait">;
  /** Images of prompts. */
  images: ImageSource;
  /** Environment of hooks and agent; tunnel URLs that come late are in it from then on. */
  environment: Readonly<Record<string, string>>;
}

/** Where a repository is checked out. */
export function checkoutOf({ agent }: Pick<WorkContext, "agent">, { name }: BundleRepository): string {
  return join(agent.introduction.workspace, name);
}

/** What serves the tools for child sessions over standard input and output, in the agent's container. */
export function childToolsCommand({ agent }: Pick<WorkContext, "agent">): string[] {
  return [...agent.introduction.program, "children"];
}

/** Where the agent works: in the primary repository, or in the empty workspace. */
export function workingDirectory(context: Pick<WorkContext, "agent" | "bundle">): string {
  const primary = context.bundle.repositories[0];
  return primary ? checkoutOf(context, primary) : context.agent.introduction.workspace;
}

/** Runs a command to its end, its output becoming events; `hear` gets what it writes to standard error as well. */
export async function runWithEvents(
  { agent, clock, publish, secrets }: Pick<WorkContext, "agent" | "clock" | "publish" | "secrets">,
  command: Command,
  origin: OutputOrigin,
  hear: (text: string) => void = () => undefined,
): Promise<Ended> {
  const relay = new OutputRelay(origin, { clock, publish, secrets });
  const { ended } = agent.run(command, (stream, text) => {
    relay.take(stream, text);
    if (stream === "stderr") hear(text);
  });
  const end = await ended;
  relay.end();
  return end;
}

/** How the agent ended, for people. */
export function describeAgentEnd(end: Ended): string {
  return end.lost ? describeEnd(end) : `the agent ${describeEnd(end)}`;
}

/** How a command ended, for people. */
export function describeEnd({ code, signal, error, lost }: Ended): string {
  if (lost) return "the agent's container ended, perhaps for want of memory";
  if (error === "ENOENT") return "could not be started: there is no such program or directory";
  if (error !== undefined) return `could not be started: ${error}`;
  if (signal === "SIGKILL") return "was ended by SIGKILL, perhaps for want of memory";
  return signal === null ? `exited with status ${code ?? "unknown"}` : `was ended by ${signal}`;
}
