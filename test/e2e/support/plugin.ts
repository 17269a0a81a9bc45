import { spawn } from "node:child_process";
import { mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";

import { run } from "../../../hack/lib/command.ts";
import { release } from "./install.ts";
import type { Workbench } from "./workbench.ts";

const bundle = join(import.meta.dirname, "..", "..", "..", "dist", "kubectl-runwright.mjs");

/** Runs `kubectl runwright` on the bench's cluster and release, and gives what it printed; `withNotes` also on standard error. */
export async function runPlugin(
  bench: Workbench,
  args: readonly string[],
  { withNotes = false } = {},
): Promise<string> {
  const { environment, close } = await pathWithPlugin(bench);
  const joined = ["-c", 'exec "$0" "$@" 2>&1', bench.kubectl.path];
  const [program, before] = withNotes ? ["bash", joined] : [bench.kubectl.path, []];
  try {
    return await run(program, [...before, ...commandOf(bench, args)], { env: environment });
  } finally {
    await close();
  }
}

/** A command that goes on until it is ended, and the address that it has told. */
export interface ServingPlugin {
  address: URL;
  close(): Promise<void>;
}

/** Starts `kubectl runwright` with a command that shows something under an address of this machine. */
export async function servePlugin(bench: Workbench, args: readonly string[]): Promise<ServingPlugin> {
  const { environment, close } = await pathWithPlugin(bench);
  const env = { ...process.env, ...environment };
  const child = spawn(bench.kubectl.path, commandOf(bench, args), { env, stdio: ["ignore", "ignore", "pipe"] });
  const ended = new Promise<void>((resolve) => void child.once("close", () => resolve()));
  const end = async (): Promise<void> => {
    child.kill();
    await ended;
    await close();
  };
  try {
    const address = await new Promise<URL>((resolve, reject) => {
      let said = "";
      child.stderr.on("data", (chunk: Buffer) => {
        said += chunk.toString();
        const told = /http:\/\/127\.0\.0\.1:\d+\S*(?=\s)/.exec(said)?.[0];
        if (told !== undefined) resolve(new URL(told));
      });
      child.once("error", reject);
      child.once("exit", (status) => reject(new Error(`${args.join(" ")} ended with status ${status}: ${said}`)));
    });
    return { address, close: end };
  } catch (error) {
    await end();
    throw error;
  }
}

function commandOf({ helmArgs }: Workbench, args: readonly string[]): string[] {
  const index = helmArgs.indexOf("--kube-context");
  const context = index < 0 ? [] : ["--context", helmArgs[index + 1] ?? ""];
  return ["runwright", ...args, ...context, "--release-namespace", release.namespace, "--release", release.name];
}

/** kubectl finds plugins on PATH by their name, which the bundle of this checkout gets for as long as it runs. */
async function pathWithPlugin({
  environment,
}: Workbench): Promise<{ environment: Record<string, string>; close: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), "runwright-plugin-"));
  await symlink(bundle, join(folder, "kubectl-runwright"));
  const path = [folder, dirname(process.execPath), process.env.PATH].join(delimiter);
  return {
    environment: { ...environment, PATH: path },
    close: () => rm(folder, { recursive: true, force: true }),
  };
}
