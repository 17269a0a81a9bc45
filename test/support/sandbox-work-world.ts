import { type GitServer, type GitServerOptions, startGitServer } from "./git-server.ts";
import { type GatewayWorld, openGatewayWorld } from "./runtime-gateway.ts";
import { type SandboxProcesses, startSandbox } from "./runtime-processes.ts";
import type { SandboxFixture } from "./runtime-world.ts";

/** A gateway and a git server for sandboxes whose two containers are processes of this machine. */
export interface SandboxWorkWorld extends GatewayWorld {
  git: GitServer;
  /** Starts the runtime and the agent of a sandbox; they end with the world at the latest. */
  start(sandbox: SandboxFixture): Promise<SandboxProcesses>;
}

export async function openSandboxWorkWorld(
  credential: GitServerOptions["credential"],
  options: Parameters<typeof openGatewayWorld>[0] = {},
): Promise<SandboxWorkWorld> {
  const opened = await openGatewayWorld(options);
  const { world, gateway } = opened;
  const git = await startGitServer({ credential, certificate: world.tls });
  const started: SandboxProcesses[] = [];
  return {
    ...opened,
    git,
    async start(sandbox) {
      const processes = await startSandbox(world, sandbox, gateway.sandboxUrl);
      started.push(processes);
      return processes;
    },
    async close() {
      for (const processes of started) processes.kill();
      await git.close();
      await opened.close();
    },
  };
}
