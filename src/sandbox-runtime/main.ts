import { existsSync, writeSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { z } from "zod";
import { setFlagsFromString } from "node:v8";
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
import { awaitAssignment } from "./gateway/await-assignment.ts";
import { answerGit } from "./git/credential-helper.ts";
import { createRuntimeLog, errorCode, type RuntimeLog } from "./log.ts";
import { linkSkills } from "./skills/link-skills.ts";
import { skillsFolder } from "./skills/write-skills.ts";
import { archiveWorkspace } from "./workspace/archive.ts";
import { serveTools } from "./tools/server.ts";
import { ArchiveRefusedError, refusedExitCode } from "./workspace/archive-guard.ts";
import { filesWith } from "./workspace/search-files.ts";
import { runRuntime } from "./runtime.ts";

/**
 * The sandbox image's only program: `runwright-sandbox runtime | agent | git-credential ACTION | children`. The runtime
 * itself starts `save TRANSFER`, `restore TRANSFER [BYTES]`, `link-skills` and `find-secrets` in the agent's container.
 */

const environment = process.env;
/** Bundles of trusted certificate authorities, by distribution. */
const systemCaFiles = ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem"];

async function main(): Promise<number> {
  const [command, action = "", most] = process.argv.slice(2);
  if (command === "runtime") return runtimeContainer(logOf("runtime"));
  if (command === "agent") return agentContainer(logOf("agent"));
  if (command === "git-credential") {
    const { output, problem } = await answerGit(action, await text(process.stdin), socketDirectoryOf(environment));
    process.stdout.write(output);
    if (problem !== undefined) process.stderr.write(`error: ${problem}\n`);
    return 0;
  }
  if (command === "children") {
    await serveTools(
      { input: process.stdin, output: process.stdout },
      {
        socketDirectory: socketDirectoryOf(environment),
        workspace: workspaceOf(environment),
        random: systemRandom,
      },
    );
    return 0;
  }
  if (command === "save" || command === "restore") return transferWorkspace(command, action, most);
  if (isWorkInHome(command)) {
    await workInHome(command);
    return 0;
  }
  process.stderr.write("usage: runwright-sandbox runtime | agent | git-credential ACTION | children\n");
  return 2;
}

const worksInHome = ["link-skills", "find-secrets"] as const;
type WorkInHome = (typeof worksInHome)[number];

function isWorkInHome(command: string | undefined): command is WorkInHome {
  return worksInHome.some((one) => one === command);
}

/** `most`: bytes that the files of an archive may have. */
async function transferWorkspace(direction: "save" | "restore", transfer: string, most?: string): Promise<number> {
  // The buffers of an archive count as growth of the heap: without this, each 11 MiB of them cause a full collection.
  setFlagsFromString("--heap-growing-percent=400");
  const { HOME: home = sandboxPaths.home } = baseEnvironment(environment);
  const folders = { workspace: workspaceOf(environment), home, socketDirectory: socketDirectoryOf(environment) };
  try {
    await archiveWorkspace(direction, { ...folders, transfer }, most === undefined ? {} : { bytes: Number(most) });
    return 0;
  } catch (error) {
    if (!(error instanceof ArchiveRefusedError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return refusedExitCode;
  }
}

async function workInHome(command: WorkInHome): Promise<void> {
  const { HOME: home = sandboxPaths.home } = baseEnvironment(environment);
  const workspace = workspaceOf(environment);
  if (command === "find-secrets") {
    await findSecrets(await text(process.stdin), { workspace, home });
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
  const { of, ...config } = readRuntimeConfig(environment);
  const deps = { ...config, log, clock: systemClock, random: systemRandom, signal: stopSignal() };
  const assignment = "podUid" in of ? await awaitAssignment(deps, of.podUid) : of;
  if (!assignment) return 0;
  log.info("Started", { session: assignment.sessionUid, attempt: assignment.attempt });
  await runRuntime({ ...deps, ...assignment, socketDirectory: socketDirectoryOf(environment) });
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
