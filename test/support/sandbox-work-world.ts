import type { Bundle } from "../../src/api/runtime/bundle.ts";
import { type GitServer, type GitServerOptions, startGitServer } from "./git-server.ts";
import { type GatewayWorld, openGatewayWorld } from "./runtime-gateway.ts";
import { type SandboxProcesses, startSandbox } from "./runtime-processes.ts";
import { makeSandbox, type SandboxFixture } from "./runtime-world.ts";

export interface StartedSandbox {
  sandbox: SandboxFixture;
  processes: SandboxProcesses;
}

/** A gateway and a git server for sandboxes whose two containers are processes of this machine. */
export interface SandboxWorkWorld extends GatewayWorld {
  git: GitServer;
  /** Starts the runtime and the agent of a sandbox, from source or from a bundle; they end with the world at the latest. */
  start(sandbox: SandboxFixture, program?: string): Promise<SandboxProcesses>;
  /** Makes a sandbox and starts it. */
  launch(options?: Parameters<typeof makeSandbox>[1]): Promise<StartedSandbox>;
}

export async function openSandboxWorkWorld(
  credential: GitServerOptions["credential"],
  options: Parameters<typeof openGatewayWorld>[0] = {},
): Promise<SandboxWorkWorld> {
  const opened = await openGatewayWorld(options);
  const { world, gateway } = opened;
  const git = await startGitServer({ credential, certificate: world.tls });
  const started: SandboxProcesses[] = [];
  const start: SandboxWorkWorld["start"] = async (sandbox, program) => {
    const processes = await startSandbox(world, sandbox, gateway.sandboxUrl, { program });
    started.push(processes);
    return processes;
  };
  return {
    ...opened,
    git,
    start,
    async launch(options) {
      const sandbox = await makeSandbox(world, options);
      return { sandbox, processes: await start(sandbox) };
    },
    async close() {
      for (const processes of started) processes.kill();
      await git.close();
      await opened.close();
    },
  };
}

/** Sends a prompt to a sandbox that is ready and waits for its end. */
export async function ask({ sandbox }: Pick<StartedSandbox, "sandbox">, text = "go"): Promise<Record<string, unknown>> {
  await sandbox.noted("ready-time");
  const { name } = await sandbox.prompt(text);
  return sandbox.settled(name);
}

/** An agent that is a line of bash. */
export const shell = (script: string): Bundle["agent"] => ({ command: ["bash", "-c", script], protocol: "exec" });
