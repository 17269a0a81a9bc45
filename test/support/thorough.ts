import { inject } from "vitest";

declare module "vitest" {
  interface ProvidedContext {
    isThorough: boolean;
  }
}

/** Whether this run is of a long level, which tries everything; another one has time for a sample. */
export function isThorough(): boolean {
  return inject("isThorough");
}
