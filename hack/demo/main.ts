import { clusterDown, clusterUp } from "../cluster/cluster.ts";
import { sayWhenInterrupted } from "../lib/interrupt.ts";
import { ensureImages, ensureOpenCodeImage, loadImages, type Images } from "../images/images.ts";
import { automation, className, gitNamespace, tellStory, tenantNamespace, type DemoReport } from "./demo.ts";
import { startGitServer } from "../../test/e2e/support/git-server.ts";
import {
  hasDefinitions,
  installRelease,
  keysNamespace,
  release,
  uninstallRelease,
} from "../../test/e2e/support/install.ts";
import { waitForLeaving } from "../../test/e2e/support/leaving.ts";
import type { ReleaseImages } from "../../test/e2e/support/release-images.ts";
import { makeNarrator, type Narrator } from "../../test/e2e/support/narrator.ts";
import { openCodeAgent } from "../../test/e2e/support/opencode-agent.ts";
import { parseOptions, usage, type DemoOptions } from "./options.ts";
import { pageArguments, pageUrl } from "../../test/e2e/support/page.ts";
import { startScriptedModel } from "../../test/e2e/support/scripted-model.ts";
import { accountOfPage, rolesOfTenant } from "../../test/e2e/support/tenant-objects.ts";
import { apply, contextWorkbench, kubectl, localWorkbench, type Workbench } from "../../test/e2e/support/workbench.ts";

const startedMs = performance.now();

async function main(args: readonly string[]): Promise<number> {
  let options: DemoOptions;
  try {
    options = parseOptions(args);
  } catch (error) {
    process.stderr.write(`${messageOf(error)}\n${usage}\n`);
    return 2;
  }
  const { json } = options;
  const down = options.context === undefined ? "; npm run cluster -- down takes it away" : "";
  sayWhenInterrupted(`the next try goes on with what is up${down}`);
  const narrator = makeNarrator((line) => void (json ? process.stderr : process.stdout).write(line));
  try {
    const report = await runDemo(options, narrator);
    narrator.step(`Done in ${((performance.now() - startedMs) / 1000).toFixed(1)} s`);
    if (json) process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
    return 0;
  } catch (error) {
    narrator.step("Failed");
    narrator.show(messageOf(error));
    return 1;
  }
}

async function runDemo(options: DemoOptions, narrator: Narrator): Promise<DemoReport> {
  narrator.step("A cluster and two images");
  const imagesSoon = makeImages(options, narrator);
  // Seen where it is awaited, if the cluster comes up at all.
  imagesSoon.catch(() => undefined);
  const bench = await openBench(options, narrator);
  try {
    const own = [tenantNamespace, gitNamespace, release.namespace, keysNamespace];
    await waitForLeaving(bench, own, narrator);
    const definitionsAreOurs = !(await hasDefinitions(bench));
    try {
      const report = await useCluster(bench, await imagesSoon, options, narrator);
      if (options.keep) await sayWhatStays(bench, narrator);
      else narrator.say(`in a browser: npm run demo -- --keep, and then ${pageUrl(automation)}`);
      return report;
    } finally {
      if (!options.keep) await takeDown(bench, definitionsAreOurs, narrator);
    }
  } finally {
    await bench.close();
  }
}

async function useCluster(
  bench: Workbench,
  images: DemoImages,
  { agent, warm }: DemoOptions,
  narrator: Narrator,
): Promise<DemoReport> {
  if (images.built !== undefined) await load(bench, images.built, narrator);
  narrator.step("The chart with controller ×2, ingress ×2, gateway ×2; and a git server in the cluster, over HTTPS");
  const sandboxImage = `${images.sandbox.repository}:${images.sandbox.tag}`;
  const [git] = await Promise.all([
    startGitServer(bench, gitNamespace, sandboxImage, narrator),
    installRelease(bench, images, narrator),
  ]);
  if (agent === "sample") return tellStory(bench, { git, warm }, narrator);
  narrator.step("A model service that answers from a script, for the coding agent OpenCode");
  const model = await startScriptedModel(bench, gitNamespace, sandboxImage, narrator);
  return tellStory(bench, { git, warm, agent: openCodeAgent(model) }, narrator);
}

async function openBench({ context }: DemoOptions, narrator: Narrator): Promise<Workbench> {
  if (context !== undefined) return contextWorkbench(context, narrator.say);
  return localWorkbench(await clusterUp(narrator.say));
}

/** Images to run, and where they were built when they still have to be loaded. */
type DemoImages = ReleaseImages & { built?: Images };

async function makeImages(
  { operatorImage, sandboxImage, agent }: DemoOptions,
  narrator: Narrator,
): Promise<DemoImages> {
  if (operatorImage !== undefined && sandboxImage !== undefined) {
    return { operator: splitReference(operatorImage), sandbox: splitReference(sandboxImage) };
  }
  const plain = await ensureImages(narrator.say);
  // The sandbox image with an agent on top can stand wherever the sandbox image can.
  const sandbox = agent === "opencode" ? await ensureOpenCodeImage(plain.sandbox, narrator.say) : plain.sandbox;
  const built = { ...plain, sandbox };
  return { ...built, built };
}

async function load({ local }: Workbench, images: Images, narrator: Narrator): Promise<void> {
  if (local !== undefined) return loadImages(local, [images.operator, images.sandbox], narrator.say);
  throw new Error(
    "push these two images to a registry that the cluster can pull from and name them with --operator-image and " +
      `--sandbox-image:\n${images.operator.archive}\n${images.sandbox.archive}`,
  );
}

function splitReference(reference: string): { repository: string; tag: string } {
  const colon = reference.lastIndexOf(":");
  if (colon <= reference.lastIndexOf("/")) throw new Error(`${reference} has no tag, but an image needs one here`);
  return { repository: reference.slice(0, colon), tag: reference.slice(colon + 1) };
}

async function takeDown(bench: Workbench, definitionsAreOurs: boolean, narrator: Narrator): Promise<void> {
  narrator.step("Taking everything down");
  if (bench.local?.isNew === true) {
    await narrator.during("stopping the local cluster", () => clusterDown(narrator.say));
    return;
  }
  const clusterScoped = [`sandboxclass/${className}`, ...rolesOfTenant(tenantNamespace), "--ignore-not-found"];
  await kubectl(bench, ["delete", ...clusterScoped]).catch((error: unknown) => narrator.say(messageOf(error)));
  const namespaces = ["delete", "namespace", tenantNamespace, gitNamespace, "--ignore-not-found"];
  await narrator.during("deleting the demo's namespaces", () => kubectl(bench, namespaces));
  await uninstallRelease(bench, definitionsAreOurs, narrator);
}

async function sayWhatStays(bench: Workbench, narrator: Narrator): Promise<void> {
  await apply(bench, accountOfPage(tenantNamespace));
  narrator.step("Everything stays up");
  const { kubectl: program } = bench;
  narrator.say(`${[program.path, ...program.args].join(" ")} get runs,sessions,pods -n ${tenantNamespace}`);
  const plugin = ["node", "dist/kubectl-runwright.mjs", ...pageArguments(tenantNamespace), ...program.args];
  const of = ["--release", release.name, "--release-namespace", release.namespace];
  narrator.say(`release ${release.name} in namespace ${release.namespace}; npm run cluster -- down takes it all away`);
  narrator.say(`the page opens at the address that this prints: ${[...plugin, ...of].join(" ")}`);
  narrator.say(`and has this Run at ${pageUrl(automation)}`);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

process.exitCode = await main(process.argv.slice(2));
