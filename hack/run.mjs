// Runs one of the project's programs under Node 24 with the locked dependencies, whatever Node the machine has:
//
//   node hack/run.mjs PROGRAM [ARGUMENTS]      PROGRAM: a .ts or .mjs file, or a name from node_modules/.bin
//
// It brings what is missing first: Node 24 into the cache, the dependencies into node_modules. All it says goes to
// standard error; standard output is the program's alone. Old Nodes read this file, and nothing is installed yet when
// they do, so it is plain JavaScript and imports only what is part of Node.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { constants, homedir } from "node:os";
import { delimiter, dirname, join, resolve as resolvePath } from "node:path";
import { performance } from "node:perf_hooks";
import process from "node:process";
import { clearInterval, setInterval } from "node:timers";
import { fileURLToPath } from "node:url";

const nodeVersion = "24.21.0";
const oldestNode = [24, 12];

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const cache = process.env.RUNWRIGHT_CACHE || join(homedir(), ".cache", "runwright");
const startedMs = performance.now();

await main(process.argv.slice(2));

async function main([program, ...args]) {
  if (program === undefined) {
    say("usage: node hack/run.mjs PROGRAM [ARGUMENTS]");
    process.exit(2);
  }
  let node;
  try {
    node = await ensureNode();
    await ensureDependencies(node);
  } catch (error) {
    say(error.message);
    process.exit(1);
  }
  const isFile = /\.(ts|mjs)$/.test(program);
  const [command, commandArgs] = isFile
    ? [node, [resolvePath(root, program), ...args]]
    : [join(root, "node_modules", ".bin", program), args];
  const path = [dirname(node), join(root, "node_modules", ".bin"), process.env.PATH].join(delimiter);
  finishLike(await start(command, commandArgs, { stdio: "inherit", env: { ...process.env, PATH: path } }));
}

/** Path of a Node that is new enough: the one that runs this, else one in the cache, installed now if need be. */
async function ensureNode() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major === oldestNode[0] && minor >= oldestNode[1]) return process.execPath;
  const folder = join(cache, `node-${nodeVersion}`);
  const binary = join(folder, "node_modules", "node", "bin", "node");
  if (existsSync(binary)) return binary;

  // Installed beside its place and renamed, so that a killed or a second install leaves nothing half done there.
  mkdirSync(cache, { recursive: true });
  const unfinished = mkdtempSync(join(cache, ".node-"));
  try {
    await npm(`installing Node ${nodeVersion}`, [
      "install",
      "--prefix",
      unfinished,
      "--no-save",
      `node@${nodeVersion}`,
    ]);
    if (!existsSync(folder)) renameSync(unfinished, folder);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
  if (!existsSync(binary)) throw new Error(`npm installed node@${nodeVersion} without its binary: ${binary}`);
  return binary;
}

/** Installs the locked dependencies unless node_modules holds exactly them. */
async function ensureDependencies(node) {
  const wanted = readPackages(join(root, "package-lock.json"));
  const installed = readPackages(join(root, "node_modules", ".package-lock.json"));
  if (isInstalled(wanted, installed)) return;
  const path = [dirname(node), process.env.PATH].join(delimiter);
  await npm("installing the locked dependencies", ["ci", "--ignore-scripts", "--prefix", root], { PATH: path });
}

function readPackages(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8")).packages;
  } catch {
    return {}; // not there, or cut short by a killed install
  }
}

/** npm keeps its own record of what it installed; packages for other systems are optional and rightly missing. */
function isInstalled(wanted, installed) {
  return Object.entries(wanted).every(([path, entry]) => {
    if (path === "") return true;
    const found = installed[path];
    return found === undefined ? entry.optional === true : found.version === entry.version;
  });
}

async function npm(what, args, env = {}) {
  say(`${what} …`);
  const ticker = setInterval(() => say(`${what}: still going`), 10_000);
  const quiet = ["--loglevel=error", "--no-fund", "--no-audit"];
  // npm's standard output goes to our standard error: ours belongs to the program alone.
  const options = { cwd: root, stdio: ["ignore", 2, 2], env: { ...process.env, ...env } };
  const { status } = await start("npm", [...args, ...quiet], options);
  clearInterval(ticker);
  if (status !== 0) throw new Error(`${what} failed: npm ended with status ${status}`);
}

/** Runs a program to its end and hands on the signals that are meant for it. */
function start(command, args, options) {
  return new Promise((resolve) => {
    const child = spawn(command, args, options);
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
    child.on("error", (error) => {
      say(`could not run ${command}: ${error.message}`);
      resolve({ status: 127, signal: null });
    });
    child.on("exit", (status, signal) => resolve({ status, signal }));
  });
}

/** Ends this process as the program ended; 128 + number is how shells say "by a signal". */
function finishLike({ status, signal }) {
  process.exit(signal === null ? status : 128 + constants.signals[signal]);
}

function say(message) {
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1).padStart(6);
  process.stderr.write(`[setup ${seconds}s] ${message}\n`);
}
