import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";

import { afterAll, beforeAll, expect, it } from "vitest";

import { run } from "../../hack/lib/command.ts";
import { progressOnStderr } from "../../hack/lib/progress.ts";
import { ensureSystemPrograms } from "../../hack/toolchain/system-programs.ts";
import { makeNamespace, testCluster } from "../support/cluster.ts";
import { missingLines, tutorialSteps } from "./support/tutorial-steps.ts";

// The commands of the alerts' pages, typed by a person whose release is well: kubectl and the plugin take each of them, and where the
// page says what is printed, it is.

const root = join(import.meta.dirname, "..", "..");
const pages = join(root, "docs", "operate", "alerts");

/** Commands that are not run here, by a part of them. */
const notRun: Readonly<Record<string, string>> = {
  "kubectl -n runwright-system debug": "it needs an image with ss, which the cluster has from no registry",
  "get lease runwright-archive": "the release of these tests has no archive",
  "kubectl runwright image logs": "it fails where no image was built; test/apiserver/cli/images runs it",
};

const steps = (await Promise.all((await readdir(pages)).map(stepsOf))).flat();

async function stepsOf(page: string): Promise<{ page: string; commands: string; printed?: string }[]> {
  const found = tutorialSteps(await readFile(join(pages, page), "utf8"));
  return found.map(({ commands, printed }) => ({ page, commands, ...(printed === undefined ? {} : { printed }) }));
}

let folder: string;
/** What stands for the words in capitals. */
let named: readonly (readonly [RegExp, string])[];

beforeAll(async () => {
  await ensureSystemPrograms([{ program: "jq", debianPackage: "jq" }], progressOnStderr("alert pages"));
  folder = await mkdtemp(join(tmpdir(), "alert-pages-"));
  const programs = join(folder, "programs");
  await mkdir(programs);
  // grep finds nothing in the log of an operator that is well, and says so by its status: what counts is kubectl's own.
  const failed = join(folder, "failed");
  const noting = `#!/bin/bash\n"${testCluster().kubectl}" "$@" || { status=$?; echo "$*" >> ${failed}; exit $status; }\n`;
  await writeFile(join(programs, "kubectl"), noting, { mode: 0o755 });
  await symlink(join(root, "dist", "kubectl-runwright.mjs"), join(programs, "kubectl-runwright"));
  const namespace = await makeNamespace("alerts");
  await apply([automation(namespace), image(namespace)]);
  const gateway = ["-n", "runwright-system", "get", "pods", "-l", "app.kubernetes.io/component=gateway", "-o", "name"];
  const [pod = ""] = (await kubectl(gateway)).trim().split("\n");
  named = [
    [/NAMESPACE\/(AUTOMATION|IMAGE)/g, `${namespace}/example`],
    [/\bPOD\b/g, pod.replace("pod/", "")],
  ];
});

afterAll(() => rm(folder, { recursive: true, force: true }));

function kubectl(args: readonly string[], input?: string): Promise<string> {
  const { kubectl: program, kubeconfig } = testCluster();
  return run(program, ["--kubeconfig", kubeconfig, ...args], input === undefined ? {} : { input });
}

async function apply(items: readonly object[]): Promise<void> {
  await kubectl(["apply", "-f", "-"], JSON.stringify({ apiVersion: "v1", kind: "List", items }));
}

function automation(namespace: string): object {
  return {
    apiVersion: "runwright.dev/v1alpha1",
    kind: "Automation",
    metadata: { name: "example", namespace },
    spec: {
      instructions: "None.",
      trigger: { type: "Webhook", webhook: { filters: [{ path: "$.status", operator: "eq", value: "failed" }] } },
      session: { sandboxClassName: "none" },
      serviceAccountName: "runner",
    },
  };
}

function image(namespace: string): object {
  return {
    apiVersion: "runwright.dev/v1alpha1",
    kind: "PrebuiltImage",
    metadata: { name: "example", namespace },
    spec: { repositoryRef: { name: "none" }, sandboxClassName: "none", serviceAccountName: "runner" },
  };
}

/** Types the commands into a shell; gives what was printed and the commands of kubectl that failed. */
async function type(commands: string): Promise<{ output: string; failed: string }> {
  const failed = join(folder, "failed");
  await writeFile(failed, "");
  const text = named.reduce((all, [word, value]) => all.replaceAll(word, value), commands);
  const path = [join(folder, "programs"), dirname(process.execPath), process.env.PATH].join(delimiter);
  // What a command leaves running ends with its shell.
  const end = "for job in $(jobs -p); do kill -- -$job; done 2>/dev/null";
  const script = `exec 2>&1\nset -m\ntrap '${end}' EXIT\n${text}true`;
  const output = await run("bash", ["-c", script], { env: { KUBECONFIG: testCluster().kubeconfig, PATH: path } });
  return { output, failed: await readFile(failed, "utf8") };
}

const isRun = ({ commands }: { commands: string }): boolean =>
  !Object.keys(notRun).some((part) => commands.includes(part));

it.each(Object.keys(notRun))("%s, which is not run, is of a page", (part) => {
  expect(steps.some(({ commands }) => commands.includes(part))).toBe(true);
});

it.each(steps.filter(isRun))("$page: $commands", async ({ commands, printed = "" }) => {
  const { output, failed } = await type(commands);
  expect({ failed, output, missing: missingLines(printed, output) }).toEqual({ failed: "", output, missing: [] });
});
