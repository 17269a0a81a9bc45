import { dirname, join } from "node:path";

import { inject } from "vitest";

declare module "vitest" {
  interface ProvidedContext {
    /** The folder with our bundled programs. */
    programs: string;
  }
}

/** Our programs as a release has them, one file each; each starts in a quarter of the CPU time that its source takes. */
export interface Programs {
  /** `runwright`. */
  operator: string;
  /** `runwright-sandbox`. */
  sandbox: string;
}

export function programsIn(folder: string): Programs {
  return { operator: join(folder, "runwright.mjs"), sandbox: join(folder, "runwright-sandbox.mjs") };
}

/** Those that the setup of the test project has bundled. */
export function testPrograms(): Programs {
  return programsIn(inject("programs"));
}

/** What one of our programs has in its environment; with what Node has compiled beside it, it starts in half the time. */
export function programEnvironment(program: string): { PATH: string | undefined; NODE_COMPILE_CACHE: string } {
  return { PATH: process.env.PATH, NODE_COMPILE_CACHE: join(dirname(program), "node-compile") };
}
