import type { AgentChannel, Command, Ended } from "../local/agent-channel.ts";
import { type OutputOrigin, OutputRelay, type RelayDeps } from "./output-relay.ts";

/** Runs a command to its end and publishes its output as events; `onErrorOutput` gets standard error as well. */
export async function runWithEvents(
  { agent, ...relayDeps }: RelayDeps & { agent: Pick<AgentChannel, "run"> },
  command: Command,
  origin: OutputOrigin,
  onErrorOutput: (text: string) => void = () => undefined,
): Promise<Ended> {
  const relay = new OutputRelay(origin, relayDeps);
  const { ended } = agent.run(command, (stream, text) => {
    relay.take(stream, text);
    if (stream === "stderr") onErrorOutput(text);
  });
  const end = await ended;
  relay.end();
  return end;
}
