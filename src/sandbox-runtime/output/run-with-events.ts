import type { AgentChannel, Command, Ended } from "../local/agent-channel.ts";
import { type OutputOrigin, OutputRelay, type RelayDeps } from "./output-relay.ts";

/** Runs a command to its end and publishes its output as events; `onOutput` gets it as well. */
export async function runWithEvents(
  { agent, ...relayDeps }: RelayDeps & { agent: Pick<AgentChannel, "run"> },
  command: Command,
  origin: OutputOrigin,
  onOutput: (stream: "stdout" | "stderr", text: string) => void = () => undefined,
): Promise<Ended> {
  const relay = new OutputRelay(origin, relayDeps);
  const { ended } = agent.run(command, (stream, text) => {
    relay.take(stream, text);
    onOutput(stream, text);
  });
  const end = await ended;
  relay.end();
  return end;
}
