import { spawnSync } from "node:child_process";
import { mkdtemp, open, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";

import { CommandError, run } from "../../hack/lib/command.ts";
import { progressOnStderr, type Progress } from "../../hack/lib/progress.ts";
import { ownPlatform } from "../../hack/release/plugin/executable.ts";
import { archiveName } from "../../hack/release/plugin/krew-manifest.ts";
import { writeReleaseFiles } from "../../hack/release/plugin/release-files.ts";
import { ensureArm64Emulator } from "../../hack/toolchain/arm64-emulator.ts";
import { ensureKrew } from "../../hack/toolchain/krew.ts";

const repository = "https://example.com/acme/runwright";
const progress = progressOnStderr("plugin");
const own = ownPlatform();
const notRun = `not run: executables are built on Linux, x64 or arm64, not on ${process.platform} ${process.arch}`;

let folder: string;
let release: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "plugin-release-"));
  release = join(folder, "release");
  if (own) await writeReleaseFiles(release, repository, progress);
  else console.warn(notRun);
});
afterAll(() => rm(folder, { recursive: true }));

/** Unpacks a platform's archive into a folder of its own. */
async function unpacked(platform: NonNullable<typeof own>): Promise<string> {
  const target = await mkdtemp(join(folder, "unpacked-"));
  await run("tar", ["-xzf", join(release, archiveName(platform)), "-C", target]);
  return target;
}

/** The tool that a test needs; undefined, with the reason printed, where it cannot be had. */
async function hadOrPrinted<T>(test: string, ensure: (progress: Progress) => Promise<T>): Promise<T | undefined> {
  try {
    return await ensure(progress);
  } catch (error) {
    console.warn(`not run: ${test}: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}

/** The processor of an ELF file, as `e_machine` of its header has it. */
async function machineOf(path: string): Promise<number> {
  const file = await open(path);
  const { buffer } = await file.read({ buffer: Buffer.alloc(20), position: 0 });
  await file.close();
  expect(buffer.subarray(0, 4).toString("latin1")).toBe("\x7fELF");
  return buffer.readUInt16LE(18);
}

describe.runIf(own)("the plugin of a release", () => {
  it("runs without Node and without any variable, and needs no other file", async () => {
    const target = await unpacked(own!);
    await rm(join(target, "kubectl_complete-runwright"));
    const call = (...args: string[]): ReturnType<typeof spawnSync> =>
      spawnSync(join(target, "kubectl-runwright"), args, { encoding: "utf8", cwd: target, env: {} });
    const help = expect.stringContaining("Usage: kubectl runwright COMMAND") as string;
    expect(call("--help")).toMatchObject({ status: 0, stdout: help, stderr: "" });
    expect(call("version", "--client")).toMatchObject({ status: 0, stderr: "" });
    expect(call("no-such")).toMatchObject({ status: 2, stdout: "" });
  });

  it.each([
    { platform: "linux-amd64", machine: 62 },
    { platform: "linux-arm64", machine: 183 },
  ] as const)("for $platform is a program for that processor, with completion and license", async (given) => {
    const target = await unpacked(given.platform);
    expect((await readdir(target)).sort()).toEqual(["LICENSE", "kubectl-runwright", "kubectl_complete-runwright"]);
    expect(await machineOf(join(target, "kubectl-runwright"))).toBe(given.machine);
  });

  it.runIf(own === "linux-amd64")("runs on arm64 too, emulated", async (context) => {
    const emulator = await hadOrPrinted("the executable for arm64", ensureArm64Emulator);
    if (!emulator) return context.skip();
    const [qemu, ...arguments_] = emulator;
    const executable = join(await unpacked("linux-arm64"), "kubectl-runwright");
    const help = await run(qemu, [...arguments_, executable, "--help"]);
    expect(help).toContain("Usage: kubectl runwright COMMAND");
  });

  it("is installed by krew from the manifest, but not from an altered archive", async (context) => {
    const krew = await hadOrPrinted("krew's install", ensureKrew);
    if (!krew) return context.skip();
    const home = join(folder, "krew");
    const install = (archive: string): Promise<string> =>
      run(krew, ["install", `--manifest=${join(release, "runwright.yaml")}`, `--archive=${archive}`], {
        env: { KREW_ROOT: home },
      });
    const archive = join(release, archiveName(own!));
    const altered = join(folder, "altered.tar.gz");
    await writeFile(altered, Buffer.concat([await readFile(archive), Buffer.from("\0")]));
    await expect(install(altered)).rejects.toThrow(CommandError);
    await install(archive);
    expect(await run(join(home, "bin", "kubectl-runwright"), ["--help"])).toContain("Usage: kubectl runwright COMMAND");
  });

  it("has a digest for each file, and krew's manifest has those of the archives", async () => {
    const files = (await readdir(release)).filter((name) => name !== "SHA256SUMS");
    const said = await run("sha256sum", ["--check", "SHA256SUMS"], { cwd: release });
    expect(said.trim().split("\n").sort()).toEqual(files.map((name) => `${name}: OK`).sort());
    const sums = await readFile(join(release, "SHA256SUMS"), "utf8");
    const manifest = parse(await readFile(join(release, "runwright.yaml"), "utf8")) as {
      spec: { platforms: { uri: string; sha256: string }[] };
    };
    expect(manifest.spec.platforms).toHaveLength(2);
    for (const { uri, sha256 } of manifest.spec.platforms) {
      expect(sums).toContain(`${sha256}  ${uri.slice(uri.lastIndexOf("/") + 1)}\n`);
    }
  });
});

it("is not written among other files", async () => {
  const target = await mkdtemp(join(folder, "used-"));
  await writeFile(join(target, "old"), "");
  await expect(writeReleaseFiles(target, repository, progress)).rejects.toThrow(`${target} has files already`);
});
