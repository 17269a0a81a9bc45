import { ProviderError } from "./provider-error.ts";

/** The answer of a call that is of use but not needed; undefined where the provider refuses it. */
export async function unlessRefused<T>(reading: Promise<T>): Promise<T | undefined> {
  return reading.catch((error: unknown) => {
    if (error instanceof ProviderError && error.failure === "refused") return undefined;
    throw error;
  });
}
