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

it("the chart that is pushed names the images that were pushed, so that it installs without values", async () => {
  const { version } = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as { version: string };
  const images = { REGISTRY: "ghcr.io/acme", OPERATOR: operator, SANDBOX: sandbox };
  const env = { ...images, PATH: await stubs(), TAG: `v${version}` };
  for (const { run: script } of await stepsOf("release.yml", "chart")) if (script) await runStep(script, env);

  const helm = await ensureHelm(progressOnStderr("chart"));
  const archive = join(checkout, `runwright-${version}.tgz`);
  const objects = parseManifests(await run(helm, ["template", "rw", archive, "--kube-version", "1.32.0"]));
  const containers = objects
    .filter(({ kind }) => kind === "Deployment")
    .flatMap((object) => (object as unknown as Deployment).spec?.template.spec?.containers ?? []);
  expect(containers.map(({ image }) => image)).toEqual(
    Array.from({ length: 3 }, () => `ghcr.io/acme/runwright@${operator}`),
  );
  const told = containers.flatMap(({ env }) => env ?? []).filter(({ name }) => name === "RUNWRIGHT_SANDBOX_IMAGE");
  expect(told.map(({ value }) => value)).toEqual([`ghcr.io/acme/runwright-sandbox@${sandbox}`]);
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
