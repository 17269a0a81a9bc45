import { serveChildTools } from "./children/server.ts";
import { existsSync, writeSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { z } from "zod";
import { MessageChannel } from "node:worker_threads";
import { sandboxPaths } from "../api/runtime/pod-contract.ts";
import { systemClock } from "../lib/clock.ts";
import { systemRandom } from "../lib/random.ts";
import { runAgent } from "./agent/agent.ts";
import {
  baseEnvironment,
  readRuntimeConfig,
  RuntimeConfigError,
  skillsDirectoryOf,
  socketDirectoryOf,
  workspaceOf,
} from "./config.ts";
import { answerGit } from "./git/credential-helper.ts";
import { createRuntimeLog, errorCode, type RuntimeLog } from "./log.ts";
import { linkSkills } from "./skills/link-skills.ts";
import { skillsFolder } from "./skills/write-skills.ts";
import { archiveWorkspace } from "./workspace/archive.ts";
import { filesWith } from "./workspace/search-files.ts";
import { runRuntime } from "./runtime.ts";

/**
 * The sandbox image's only program: `runwright-sandbox runtime | agent | git-credential ACTION | children`. The runtime
 * itself starts `save | restore TRANSFER`, `link-skills` and `find-secrets` in the agent's container.
 */

const environment = process.env;
/** Bundles of trusted certificate authorities, by distribution. */
const systemCaFiles = ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem"];

async function main(): Promise<number> {
  const [command, action = ""] = process.argv.slice(2);
  if (command === "runtime") return runtimeContainer(logOf("runtime"));
  if (command === "agent") return agentContainer(logOf("agent"));
  if (command === "git-credential") {
    const { output, problem } = await answerGit(action, await text(process.stdin), socketDirectoryOf(environment));
    process.stdout.write(output);
    if (problem !== undefined) process.stderr.write(`error: ${problem}\n`);
    return 0;
  }
  if (command === "children") {
    await serveChildTools(
      { input: process.stdin, output: process.stdout },
      { socketDirectory: socketDirectoryOf(environment), random: systemRandom },
    );
    return 0;
  }
  if (isWorkInHome(command)) {
    await workInHome(command, action);
    return 0;
  }
  process.stderr.write("usage: runwright-sandbox runtime | agent | git-credential ACTION | children\n");
  return 2;
}

const worksInHome = ["save", "restore", "link-skills", "find-secrets"] as const;
type WorkInHome = (typeof worksInHome)[number];

function isWorkInHome(command: string | undefined): command is WorkInHome {
  return worksInHome.some((one) => one === command);
}

async function workInHome(command: WorkInHome, transfer: string): Promise<void> {
  const { HOME: home = sandboxPaths.home } = baseEnvironment(environment);
  const workspace = workspaceOf(environment);
  if (command === "find-secrets") {
    await findSecrets(await text(process.stdin), { workspace, home });
    return;
  }
  if (command !== "link-skills") {
    await archiveWorkspace(command, { workspace, home, socketDirectory: socketDirectoryOf(environment), transfer });
    return;
  }
  const leftOut = await linkSkills({ skills: join(skillsDirectoryOf(environment), skillsFolder), workspace, home });
  process.stdout.write(leftOut.map((name) => `${name}\n`).join(""));
}

/** Writes the names of files that contain one of the values, of which the input is a JSON list. */
async function findSecrets(input: string, { workspace, home }: Record<"workspace" | "home", string>): Promise<void> {
  const values = z.array(z.string().min(1)).parse(JSON.parse(input));
  const folders = [
    { folder: workspace, shownAs: "" },
    { folder: home, shownAs: "~/" },
  ];
  for (const folder of folders) {
    for await (const name of filesWith(values, folder)) process.stdout.write(`${name}\0`);
  }
}

async function runtimeContainer(log: RuntimeLog): Promise<number> {
  const config = readRuntimeConfig(environment);
  log.info("Started", { session: config.sessionUid, attempt: config.attempt });
  await runRuntime({
    ...config,
    log,
    clock: systemClock,
    random: systemRandom,
    socketDirectory: socketDirectoryOf(environment),
    signal: stopSignal(),
  });
  return 0;
}

function agentContainer(log: RuntimeLog): Promise<number> {
  // Files of hooks and agent are writable for their group.
  process.umask(0o002);
  const base = baseEnvironment(environment);
  // Timers of the clock do not keep the process alive while it waits for the runtime's socket to appear.
  new MessageChannel().port1.ref();
  return runAgent({
    log,
    clock: systemClock,
    environment: base,
    socketDirectory: socketDirectoryOf(environment),
    signal: stopSignal(),
    introduction: {
      workspace: workspaceOf(environment),
      home: base.HOME ?? "/",
      program: [process.execPath, process.argv[1] ?? ""],
      credentialHelper: [process.execPath, process.argv[1] ?? "", "git-credential"].map(shellQuote).join(" "),
      systemCaFile: systemCaFiles.find((file) => existsSync(file)) ?? "",
    },
  });
}

function stopSignal(): AbortSignal {
  const stop = new AbortController();
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => stop.abort());
  return stop.signal;
}

function logOf(container: string): RuntimeLog {
  return createRuntimeLog(container, systemClock, (line) => void writeSync(1, line));
}

function shellQuote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

try {
  process.exit(await main());
} catch (error) {
  // Messages of other errors may quote text of people.
  const reason = error instanceof RuntimeConfigError ? error.message : errorCode(error);
  logOf("sandbox").warn("Stopped by an error", { reason });
  process.exit(1);
}
