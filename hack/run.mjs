// Runs one of the project's programs under Node 24 with the locked dependencies, whatever Node the machine has:
//
//   node hack/run.mjs PROGRAM [ARGUMENTS]      PROGRAM: a .ts or .mjs file, or a name from node_modules/.bin
//
// It brings what is missing first: Node 24 into the cache, the dependencies into node_modules. All it says goes to
// standard error; standard output is the program's alone. Old Nodes read this file, and nothing is installed yet when
// they do, so it is plain JavaScript and imports only what is part of Node.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { constants, homedir } from "node:os";
import { delimiter, dirname, join, resolve as resolvePath } from "node:path";
import { performance } from "node:perf_hooks";
import process from "node:process";
import { clearInterval, setInterval } from "node:timers";
import { fileURLToPath } from "node:url";

const nodeVersion = "24.21.0";
const oldestNode = [24, 12];
/** Digests of the archives that hold Node of this version, by platform and processor: `npm view node-PLATFORM@VERSION dist.integrity`. */
const nodeIntegrity = {
  "linux-x64": "sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==",
  "linux-arm64": "sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==",
};

/** What keeps npm from its work, as it says it, and what a person can do. hack/toolchain/obstacles.ts is the same for programs. */
const obstacles = [
  [/ENOSPC|no space left on device/i, "the disk is full: make room in %s and try again"],
  [/E407\b/, "the proxy wants a user and a password: put them into HTTPS_PROXY as http://USER:PASSWORD@HOST:PORT"],
  [
    /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ENETUNREACH|ETIMEDOUT/,
    "npm's registry cannot be reached: try again with a network, or name its proxy in HTTPS_PROXY",
  ],
  [
    /EINTEGRITY/,
    "the registry sent something else than this repository names by its digest: nothing of it was used; ask who runs the registry or the proxy before it",
  ],
];

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

  const platform = `${process.platform}-${process.arch}`;
  const integrity = nodeIntegrity[platform];
  if (integrity === undefined) {
    const oldest = oldestNode.join(".");
    throw new Error(
      `no Node is known for ${platform}: install Node ${oldest} or a newer one of version ${oldestNode[0]}`,
    );
  }
  // Installed beside its place and renamed, so that a killed or a second install leaves nothing half done there.
  mkdirSync(cache, { recursive: true });
  const unfinished = mkdtempSync(join(cache, ".node-"));
  try {
    lockNode(unfinished, `node-${platform}`, integrity);
    const args = ["ci", "--ignore-scripts", "--prefix", unfinished];
    await npm(`installing Node ${nodeVersion}`, args, { into: cache });
    if (!existsSync(folder)) renameSync(unfinished, folder);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
  if (!existsSync(binary)) throw new Error(`npm installed node@${nodeVersion} without its binary: ${binary}`);
  return binary;
}

/** Has npm take the one archive of this digest and no other, as `node_modules/node`. */
function lockNode(folder, name, integrity) {
  const own = { name: "node-of-this-project", version: "1.0.0", dependencies: { node: `npm:${name}@${nodeVersion}` } };
  const resolved = `https://registry.npmjs.org/${name}/-/${name}-${nodeVersion}.tgz`;
  const packages = { "": own, "node_modules/node": { name, version: nodeVersion, resolved, integrity } };
  writeFileSync(join(folder, "package.json"), JSON.stringify(own));
  writeFileSync(join(folder, "package-lock.json"), JSON.stringify({ ...own, lockfileVersion: 3, packages }));
}

/** Installs the locked dependencies unless node_modules holds exactly them. */
async function ensureDependencies(node) {
  const wanted = readPackages(join(root, "package-lock.json"));
  const record = join(root, "node_modules", ".package-lock.json");
  const installed = readPackages(record);
  if (isInstalled(wanted, installed)) return;
  const path = [dirname(node), process.env.PATH].join(delimiter);
  const options = { into: root, env: { PATH: path } };
  try {
    await npm("installing the locked dependencies", ["ci", "--ignore-scripts", "--prefix", root], options);
  } catch (error) {
    // npm may have recorded what it could not unpack.
    rmSync(record, { force: true });
    throw error;
  }
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

/** Runs npm, which fills the folder `into`; throws one sentence where it is known what keeps it from its work. */
async function npm(what, args, { into, env = {} }) {
  say(`${what} …`);
  const ticker = setInterval(() => say(`${what}: still going`), 10_000);
  // A registry that does not answer is given up after a minute, not after five.
  // That a file could not be unpacked is a warning to npm.
  const quiet = ["--loglevel=warn", "--no-fund", "--no-audit", "--fetch-timeout=60000"];
  // npm's standard output goes to our standard error: ours belongs to the program alone.
  const options = { cwd: root, stdio: ["ignore", 2, "pipe"], env: { ...process.env, ...env } };
  const { status, signal, errors } = await start("npm", [...args, ...quiet], options);
  clearInterval(ticker);
  if (signal !== null || status > 128) throw new Error(`${what} was interrupted: the next try begins anew`);
  if (status === 0 && !errors.includes("TAR_ENTRY_ERROR")) return;
  const [, remedy] = obstacles.find(([said]) => said.test(errors)) ?? [];
  if (remedy !== undefined) throw new Error(`${what} failed: ${remedy.replace("%s", into)}`);
  throw new Error(`${what} failed: npm ended with status ${status}\n${errors}`);
}

/** Runs a program to its end and hands on the signals that are meant for it; gives what it wrote to a piped standard error. */
function start(command, args, options) {
  return new Promise((resolve) => {
    const child = spawn(command, args, options);
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
    let errors = "";
    child.stderr?.on("data", (text) => (errors += text));
    child.on("error", (error) => {
      say(`could not run ${command}: ${error.message}`);
      resolve({ status: 127, signal: null, errors });
    });
    child.on("close", (status, signal) => resolve({ status, signal, errors }));
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
