import { mkdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import { run } from "../../lib/command.ts";
import { whileReporting, type Progress } from "../../lib/progress.ts";
import { ensureCosign } from "../../toolchain/cosign.ts";
import { ensureHelm } from "../../toolchain/helm.ts";
import { ensureSystemPrograms } from "../../toolchain/system-programs.ts";
import { leftOut, platformsHere, standInActions } from "./actions.ts";
import { examine, type Published } from "./examine.ts";
import { writePrograms } from "./programs.ts";
import type { Registry } from "./registry.ts";
import { runWorkflow } from "./runner.ts";
import { makeOrigin } from "./sources.ts";
import { readWorkflow, withPlatforms } from "./workflow.ts";

const root = join(import.meta.dirname, "..", "..", "..");
/** In capitals, as an owner's name may be. */
const owner = "Acme";

/** Runs the release workflow into that registry and checks what it published; `folder` gets everything else. */
export async function rehearseRelease(folder: string, registry: Registry, progress: Progress): Promise<Published> {
  await ensureSystemPrograms(
    ["buildah", "jq", "skopeo"].map((program) => ({ program, debianPackage: program })),
    progress,
  );
  const [helm, cosign] = [await ensureHelm(progress), await ensureCosign(progress)];
  await run(cosign, ["generate-key-pair"], { cwd: folder, env: { COSIGN_PASSWORD: "" } });
  const files = join(folder, "published");
  await mkdir(files);
  const programs = join(folder, "programs");
  const key = join(folder, "cosign.key");
  await writePrograms(programs, { cosign, helm, skopeo: "/usr/bin/skopeo", key, published: files });
  const origin = await makeOrigin(folder);
  const released = readWorkflow(await readFile(join(root, ".github", "workflows", "release.yml"), "utf8"));
  const workflow = withPlatforms(released, platformsHere);
  const path = [programs, dirname(process.execPath), process.env.PATH ?? ""].join(":");
  const summary = await runWorkflow(workflow, {
    folder,
    context: {
      github: {
        ref_name: origin.tag,
        repository_owner: owner,
        repository: `${owner}/runwright`,
        server_url: "https://example.com",
        actor: owner,
        token: "",
      },
      secrets: { GITHUB_TOKEN: "" },
    },
    environment: { PATH: path, COSIGN_PASSWORD: "", npm_config_prefer_offline: "true" },
    actions: standInActions(origin, folder, progress),
    leftOut,
    replaced: [["ghcr.io/", `${registry.host}/`]],
    say: progress,
  });
  for (const line of summary.trim().split("\n")) progress(`summary: ${line}`);
  const version = origin.tag.slice(1);
  const release = { registry: `${registry.host}/acme`, version, files, key: join(folder, "cosign.pub") };
  const found = await whileReporting(progress, "checking what was published", () =>
    examine(release, cosign, join(folder, "other-key")),
  );
  for (const line of found) progress(line);
  return release;
}
