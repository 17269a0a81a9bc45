import { mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";

import { run } from "../../hack/lib/command.ts";
import { progressOnStderr, whileReporting } from "../../hack/lib/progress.ts";
import { startLocalPublisher } from "../../hack/toolchain/fetch/local-publisher.ts";
import { exists } from "../../hack/toolchain/go-build.ts";
import { startEngine } from "./engine.ts";
import { pinsOf, type Offer } from "./publications.ts";

/** What was brought before the network went. */
export interface Provisions {
  /** For files of this run. */
  folder: string;
  /** Debian's package docker.io, unpacked. */
  docker: string;
  buildx: string;
  node: { tar: string; changes: readonly string[] };
  /** The image that the Dockerfile starts from here. */
  nodeImage: { name: string; archive: string };
  offer: Offer;
}

const root = join(import.meta.dirname, "..", "..");
const nodeName = "runwright.local/kind-node:1";
/** What must come from a publisher, or is not to be had at all. */
const hidden = ["go", "kind", "kubectl", "helm", "buildah"];

const progress = progressOnStderr("docker offline");
/** Titles of the steps that passed. */
const passed: string[] = [];
const provisions = JSON.parse(process.argv[2] ?? "") as Provisions;

await run("ip", ["link", "set", "lo", "up"]);
await hidePrograms();
process.env.PATH = [join(provisions.docker, "usr/bin"), join(provisions.docker, "usr/sbin"), process.env.PATH].join(
  delimiter,
);
const publisher = await startLocalPublisher(await filesOf(provisions.offer));
await replacePins(publisher.origin);
await replaceBase();
const engine = await startEngine(join(provisions.folder, "engine"));
process.env.DOCKER_CONFIG = await withoutBuildx();
await emptyCache();
await refusal("npm run cluster up, without an image for its node", "hack/cluster/main.ts", "up");
await whileReporting(progress, "giving the engine two images", giveImages);

await beginAnew();
await step("npm run demo, without buildx", "hack/demo/main.ts");
process.env.DOCKER_CONFIG = await withBuildx();
await beginAnew();
await test("the journey test, with buildx", "e2e", "test/e2e/journey.test.ts");
await test("a test against envtest's API server", "apiserver", "test/apiserver/control-plane.test.ts");
process.stdout.write(JSON.stringify(passed));
progress(`all from ${[...new Set(publisher.asked)].join(", ")}`);
await engine.stop();
await publisher.stop();

/** An empty cache, as on a new machine, and a cluster that was left half made. */
async function beginAnew(): Promise<void> {
  await emptyCache();
  await leaveClusterBehind();
}

async function emptyCache(): Promise<void> {
  const cache = join(provisions.folder, "cache");
  await rm(cache, { recursive: true, force: true });
  process.env.RUNWRIGHT_CACHE = cache;
}

/** Runs one test file; throws also where none of its tests ran. */
async function test(title: string, level: string, file: string): Promise<void> {
  const output = await step(title, "hack/test/main.ts", level, file);
  if (!/^[1-9]\d* passed, 0 failed/m.test(output)) throw new Error(`no test of ${file} ran:\n${output}`);
}

/** Runs a program that has to say that Docker cannot pull an image. */
async function refusal(title: string, ...program: [string, ...string[]]): Promise<void> {
  const said = await step(title, ...program).then(
    () => "",
    (error: unknown) => String(error),
  );
  if (!said.includes(`Docker cannot pull ${nodeName}`)) throw new Error(`${title} ended with another message: ${said}`);
  passed.push(title);
}

/** Runs one of the project's programs as its npm script does, and gives what it printed. */
async function step(title: string, program: string, ...args: string[]): Promise<string> {
  const startedMs = performance.now();
  const onErrorLine = (line: string): void => void process.stderr.write(`${line}\n`);
  const output = await whileReporting(progress, title, () =>
    run(process.execPath, [join(root, "hack", "run.mjs"), program, ...args], { cwd: root, onErrorLine }),
  );
  passed.push(title);
  progress(`${title}: passed in ${((performance.now() - startedMs) / 1000).toFixed(1)} s`);
  return output;
}

/** Covers each with a file that cannot be run; seen by this process and those that it starts alone. */
async function hidePrograms(): Promise<void> {
  for (const folder of (process.env.PATH ?? "").split(delimiter)) {
    for (const path of hidden.map((name) => join(folder, name))) {
      if (await exists(path)) await run("mount", ["--bind", "/dev/null", path]);
    }
  }
}

/** Puts a table with the digests of this machine's programs over the table of pins, likewise. */
async function replacePins(origin: string): Promise<void> {
  const pins = join(provisions.folder, "pins.ts");
  await writeFile(pins, pinsOf(provisions.offer, origin, nodeName));
  await run("mount", ["--bind", pins, join(root, "hack/toolchain/fetch/pins.ts")]);
}

/** Has the Dockerfile start from the image that the engine is given: no archive has a digest that a registry gave. */
async function replaceBase(): Promise<void> {
  const [path, changed] = [join(root, "Dockerfile"), join(provisions.folder, "Dockerfile")];
  const text = await readFile(path, "utf8");
  await writeFile(changed, text.replace(/^ARG NODE_IMAGE=.*$/m, `ARG NODE_IMAGE=${provisions.nodeImage.name}`));
  await run("mount", ["--bind", changed, path]);
}

async function giveImages(): Promise<void> {
  const { tar, changes } = provisions.node;
  await run("docker", ["import", ...changes.flatMap((change) => ["--change", change]), tar, nodeName]);
  await run("docker", ["load", "--quiet", "--input", provisions.nodeImage.archive]);
}

/** As Ctrl-C leaves one while kind makes it. */
async function leaveClusterBehind(): Promise<void> {
  const labels = ["io.x-k8s.kind.cluster=runwright", "io.x-k8s.kind.role=control-plane"];
  const marks = labels.flatMap((label) => ["--label", label]);
  await run("docker", ["create", "--name", "runwright-control-plane", ...marks, nodeName]);
}

async function filesOf(offer: Offer): Promise<Record<string, Buffer>> {
  const files = Object.values(offer).map(async ({ path, file }) => [path, await readFile(file)] as const);
  return Object.fromEntries(await Promise.all(files));
}

async function withoutBuildx(): Promise<string> {
  process.env.DOCKER_BUILDKIT = "0";
  const folder = join(provisions.folder, "without-buildx");
  await mkdir(folder);
  return folder;
}

async function withBuildx(): Promise<string> {
  delete process.env.DOCKER_BUILDKIT;
  const folder = join(provisions.folder, "with-buildx");
  await mkdir(join(folder, "cli-plugins"), { recursive: true });
  await symlink(provisions.buildx, join(folder, "cli-plugins", "docker-buildx"));
  // Older clients build with the plugin only where it is named.
  await writeFile(join(folder, "config.json"), JSON.stringify({ aliases: { builder: "buildx" } }));
  return folder;
}
