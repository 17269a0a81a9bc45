import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { programEnvironment, testPrograms } from "./programs.ts";
import type { SandboxFixture, World } from "./runtime-world.ts";

/** The two containers of a sandbox as two processes of this machine. */
export interface SandboxProcesses {
  runtime: ChildProcess;
  agent: ChildProcess;
  /** Where the agent works. */
  workspace: string;
  home: string;
  /** What both wrote to standard output, by line. */
  log(): { message: string; [name: string]: unknown }[];
  /** All that both wrote, standard error too. */
  output(): string;
  /** Resolves with the exit codes of runtime and agent. */
  ended(): Promise<[number | null, number | null]>;
  kill(): void;
}

export async function startSandbox(
  world: Pick<World, "directory" | "ca">,
  sandbox: Pick<SandboxFixture, "session" | "sessionUid" | "attempt"> & { token(): Promise<string> },
  gatewayUrl: string,
  options: { folders?: readonly string[]; program?: string | undefined } = {},
): Promise<SandboxProcesses> {
  const { program = testPrograms().sandbox } = options;
  const directory = join(world.directory, `${sandbox.session}-${sandbox.attempt}`);
  const at = (name: string): string => join(directory, name);
  for (const name of ["workspace", "home", "socket", "skills", "private", ...(options.folders ?? [])])
    await mkdir(at(name), { recursive: true });
  await writeFile(at("private/token"), await sandbox.token());
  await writeFile(at("private/ca.crt"), world.ca);
  const common = {
    ...programEnvironment(program),
    RUNWRIGHT_SOCKET_DIRECTORY: at("socket"),
    RUNWRIGHT_SKILLS_DIRECTORY: at("skills"),
  };
  const runtime = spawn(process.execPath, [program, "runtime"], {
    env: {
      ...common,
      RUNWRIGHT_GATEWAY_URL: gatewayUrl,
      RUNWRIGHT_SESSION_UID: sandbox.sessionUid,
      RUNWRIGHT_ATTEMPT: String(sandbox.attempt),
      RUNWRIGHT_TOKEN_FILE: at("private/token"),
      RUNWRIGHT_CA_FILE: at("private/ca.crt"),
    },
  });
  const agent = spawn(process.execPath, [program, "agent"], {
    env: { ...common, HOME: at("home"), RUNWRIGHT_WORKSPACE: at("workspace") },
  });
  let output = "";
  const ends = [runtime, agent].map(async (child) => {
    child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString("utf8")));
    child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString("utf8")));
    const [code] = (await once(child, "exit")) as [number | null];
    return code;
  });
  return {
    runtime,
    agent,
    workspace: at("workspace"),
    home: at("home"),
    output: () => output,
    log: () =>
      output.split("\n").flatMap((line) => (line.startsWith("{") ? [JSON.parse(line) as { message: string }] : [])),
    ended: () => Promise.all(ends) as Promise<[number | null, number | null]>,
    kill() {
      runtime.kill("SIGKILL");
      agent.kill("SIGKILL");
    },
  };
}
