import { readFile } from "node:fs/promises";
import { resolve } from "node:path";

import { sayWhenInterrupted } from "../lib/interrupt.ts";
import { progressOnStderr } from "../lib/progress.ts";
import { clusterDown, clusterUp } from "./local-cluster.ts";

const usage = `npm run cluster -- COMMAND
  up               start the local cluster, or keep the one that is up
  down             take it down and remove everything it left
  kubeconfig       start it if need be and print the path of its kubeconfig, with the text after --print
  load IMAGE_TAR   make the image of a docker-archive tar known to the node`;

sayWhenInterrupted(
  "the next npm run cluster -- up makes anew what is half made, and npm run cluster -- down takes it away",
);
const progress = progressOnStderr("cluster");
const [command, argument] = process.argv.slice(2);

const commands: Record<string, () => Promise<void>> = {
  async up() {
    const { kubeconfig } = await clusterUp(progress);
    console.log(`export KUBECONFIG=${kubeconfig}`);
  },
  async down() {
    await clusterDown(progress);
  },
  async kubeconfig() {
    const { kubeconfig } = await clusterUp(progress);
    console.log(argument === "--print" ? await readFile(kubeconfig, "utf8") : kubeconfig);
  },
  async load() {
    if (argument === undefined) throw new Error("load needs the path of an image tar");
    const cluster = await clusterUp(progress);
    await cluster.load(resolve(argument));
  },
};

const chosen = commands[command ?? ""];
if (chosen === undefined) {
  console.error(usage);
  process.exit(2);
}
try {
  await chosen();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
