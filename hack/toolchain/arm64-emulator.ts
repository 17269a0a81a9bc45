import { join } from "node:path";

import type { Progress } from "../lib/progress.ts";
import { ensureDebianPackage, ensureDebianProgram } from "./debian-program.ts";

const prefix = ["usr", "aarch64-linux-gnu"];

/** Gives the command, with its first arguments, that runs a program for Linux on arm64 on x64. Throws where it cannot be had. */
export async function ensureArm64Emulator(progress: Progress): Promise<[string, ...string[]]> {
  const qemu = await ensureDebianProgram(
    { program: "qemu-aarch64-static", debianPackage: "qemu-user-static", path: "usr/bin/qemu-aarch64-static" },
    progress,
  );
  const libc = join(await ensureDebianPackage("libc6-arm64-cross", progress), ...prefix);
  const libraries: string[] = [];
  for (const debianPackage of ["libstdc++6-arm64-cross", "libgcc-s1-arm64-cross"]) {
    libraries.push(join(await ensureDebianPackage(debianPackage, progress), ...prefix, "lib"));
  }
  return [qemu, "-L", libc, "-E", `LD_LIBRARY_PATH=${libraries.join(":")}`];
}
