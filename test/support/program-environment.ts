import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

const root = join(import.meta.dirname, "..", "..");

/** What each of our programs that a test starts has in its environment; compiled once, it starts in half the time. */
export const programEnvironment = {
  PATH: process.env.PATH,
  NODE_COMPILE_CACHE: join(root, "node_modules", ".cache", "node-compile"),
};

/** Has Node compile our programs: it keeps what it compiled when a program ends by itself, and tests kill them. */
export async function compilePrograms(): Promise<void> {
  const programs = ["src/main.ts", "src/sandbox-runtime/main.ts"];
  await Promise.all(
    programs.map((program) =>
      // Without arguments each ends at once with what it must be given.
      once(spawn(process.execPath, [join(root, program)], { env: programEnvironment, stdio: "ignore" }), "exit"),
    ),
  );
}
