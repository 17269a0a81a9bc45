import { chmod, copyFile, cp, mkdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";

import { cacheDirectory } from "../../lib/cache.ts";
import { run, type CommandOptions } from "../../lib/command.ts";
import type { Progress } from "../../lib/progress.ts";
import { ensureGoProgram } from "../../toolchain/go-build.ts";
import { ensureSystemPrograms } from "../../toolchain/system-programs.ts";

const version = "1.20.2";
const module = "github.com/cilium/cilium";
/** The version that Cilium's go.mod names is a commit that module proxies do not serve; this release has it. */
const routing = "github.com/osrg/gobgp/v4@v4.7.0";

/** The compiler that the agent calls for its programs in the kernel; LLVM 18.1 or newer. */
export const compiler = { program: "clang-19", debianPackage: "clang-19" };

/** What of Cilium enforces NetworkPolicies, as files. */
export interface Cilium {
  agent: string;
  /** The CNI plugin. */
  plugin: string;
  /** Folder of the sources that the agent compiles, in `bpf`. */
  library: string;
  /** Folders of CustomResourceDefinitions. */
  definitions: readonly string[];
}

/** Gives Cilium's agent and CNI plugin, built from its Go module the first time (6 minutes on two cores). */
export async function ensureCilium(progress: Progress): Promise<Cilium> {
  const library = join(cacheDirectory(), "cilium", version);
  const plugin = join(library, "cilium-cni");
  const agent = await ensureGoProgram(
    {
      title: `Cilium ${version}`,
      path: join(library, "cilium-agent"),
      build: (output, options) => build(output, plugin, options),
    },
    progress,
  );
  await ensureSystemPrograms([compiler], progress);
  return { agent, plugin, library, definitions: ["v2", "v2alpha1"].map((name) => join(library, "crds", name)) };
}

/** Builds the agent last: where it is, all is. */
async function build(agent: string, plugin: string, { env, ...options }: CommandOptions): Promise<void> {
  const source = await download();
  const library = dirname(plugin);
  const changed = join(library, "changed");
  await mkdir(changed, { recursive: true });
  for (const file of ["go.mod", "go.sum"]) {
    await copyFile(join(source, file), join(changed, file));
    // Files of the module cache are read-only.
    await chmod(join(changed, file), 0o644);
  }
  const modfile = join(changed, "go.mod");
  await run("go", ["mod", "edit", `-require=${routing}`, modfile]);
  const flags = `-mod=mod -modfile=${modfile} -buildvcs=false -trimpath`;
  const goBuild = (folder: string, output: string): Promise<string> =>
    run(
      "go",
      [
        "build",
        "-tags",
        "osusergo",
        "-ldflags",
        `-s -w -X ${module}/pkg/version.ciliumVersion=${version}`,
        "-o",
        output,
        folder,
      ],
      {
        ...options,
        cwd: source,
        env: { ...env, GOFLAGS: flags },
      },
    );
  await goBuild("./plugins/cilium-cni", plugin);
  await cp(join(source, "bpf"), join(library, "bpf"), { recursive: true });
  await cp(join(source, "pkg/k8s/apis/cilium.io/client/crds"), join(library, "crds"), { recursive: true });
  await goBuild("./daemon", agent);
  await rm(changed, { recursive: true });
}

/** Gives the folder of Cilium's sources in Go's module cache. */
async function download(): Promise<string> {
  const answer = JSON.parse(await run("go", ["mod", "download", "-json", `${module}@v${version}`])) as { Dir: string };
  return answer.Dir;
}
