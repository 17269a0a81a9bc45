import { chmod, cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, expect, it } from "vitest";
import { parse } from "yaml";

import { run } from "../../hack/lib/command.ts";
import { progressOnStderr } from "../../hack/lib/progress.ts";
import { ensureHelm } from "../../hack/toolchain/helm.ts";
import type { Deployment } from "../support/core-resources.ts";
import { parseManifests } from "../support/manifests.ts";

interface Step {
  name?: string;
  uses?: string;
  run?: string;
  with?: Record<string, unknown>;
}
type Workflow = Record<"jobs", Record<string, { steps: Step[] }>>;

const root = join(import.meta.dirname, "..", "..");
const operator = `sha256:${"a".repeat(64)}`;
const sandbox = `sha256:${"b".repeat(64)}`;

let checkout: string;

beforeEach(async () => {
  checkout = await mkdtemp(join(tmpdir(), "runwright-release-"));
  for (const name of ["charts", "hack", "package.json"]) {
    await cp(join(root, name), join(checkout, name), { recursive: true });
  }
  await symlink(join(root, "node_modules"), join(checkout, "node_modules"));
});

afterEach(() => rm(checkout, { recursive: true }));

async function stepsOf(workflow: string, job: string): Promise<Step[]> {
  const text = await readFile(join(root, ".github", "workflows", workflow), "utf8");
  return (parse(text) as Workflow).jobs[job]?.steps ?? [];
}

/** Runs a step's script as a runner does. */
function runStep(script: string, env: Record<string, string>): Promise<string> {
  return run("bash", ["-e", "-c", script], { cwd: checkout, env });
}

/** Programs for PATH: cosign and pushes by helm do nothing, all else of helm is real. */
async function stubs(): Promise<string> {
  const helm = await ensureHelm(progressOnStderr("chart"));
  const programs = {
    helm: `#!/bin/sh\nif [ "$1" = push ]; then echo "Digest: sha256:0" >&2; else exec "${helm}" "$@"; fi\n`,
    cosign: "#!/bin/sh\n",
    npm: "#!/bin/sh\n",
  };
  for (const [name, text] of Object.entries(programs)) {
    await writeFile(join(checkout, name), text);
    await chmod(join(checkout, name), 0o755);
  }
  return `${checkout}:${process.env.PATH ?? ""}`;
}

/** Packages the chart as the release workflow does; gives the version. */
async function packageChart(): Promise<string> {
  const { version } = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as { version: string };
  const images = {
    REGISTRY: "ghcr.io/acme",
    OPERATOR: operator,
    SANDBOX: sandbox,
    RUNBOOKS: "https://example.com/alerts",
  };
  const env = { ...images, PATH: await stubs(), TAG: `v${version}` };
  for (const { run: script } of await stepsOf("release.yml", "chart")) if (script) await runStep(script, env);
  return version;
}

/** The images of processes and of sandboxes in manifests that helm rendered. */
function imagesIn(manifests: string): { processes: (string | undefined)[]; sandboxes: (string | undefined)[] } {
  const containers = parseManifests(manifests)
    .filter(({ kind }) => kind === "Deployment")
    .flatMap((object) => (object as unknown as Deployment).spec?.template.spec?.containers ?? []);
  const told = containers.flatMap(({ env }) => env ?? []).filter(({ name }) => name === "RUNWRIGHT_SANDBOX_IMAGE");
  return { processes: containers.map(({ image }) => image), sandboxes: told.map(({ value }) => value) };
}

it.each([
  { page: "install.md", registry: "ghcr.io/acme" },
  { page: "air-gapped.md", registry: "registry.example.com" },
])("helm's command in $page installs the chart that is pushed with the images that were pushed", async (given) => {
  const version = await packageChart();
  const [command = ""] =
    /^helm install (.*\\\n)*.*$/m.exec(await readFile(join(root, "docs", "operate", given.page), "utf8")) ?? [];
  const local = command
    .replace(/oci:\/\/\S+ --version (\S+)/, "runwright-$1.tgz")
    .replace("helm install", '"$HELM" template --kube-version 1.35.0')
    .replace(/--create-namespace|--wait/g, "");
  const HELM = await ensureHelm(progressOnStderr("chart"));

  expect(local).toContain(` runwright-${version}.tgz `);
  expect(imagesIn(await runStep(local, { HELM }))).toEqual({
    processes: Array.from({ length: 3 }, () => `${given.registry}/runwright@${operator}`),
    sandboxes: [`${given.registry}/runwright-sandbox@${sandbox}`],
  });
});

it("images lie below the owner in lower case, as a registry wants it", async () => {
  const step = (await stepsOf("release.yml", "check")).find(({ run: script }) => script?.includes("registry="));
  const output = join(checkout, "output");
  await runStep(step?.run ?? "", { OWNER: "Acme-Labs", GITHUB_OUTPUT: output });
  expect(await readFile(output, "utf8")).toBe("registry=ghcr.io/acme-labs\n");
});

it("a release is checked on the checkout that CI checks", async () => {
  const [[ci], [release]] = await Promise.all([stepsOf("ci.yml", "check"), stepsOf("release.yml", "check")]);
  expect(ci?.uses).toContain("actions/checkout@");
  expect(release).toEqual(ci);
});
