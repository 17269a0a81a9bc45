import type { Logger } from "../../telemetry/logger.ts";
import { ApiError } from "../http/errors.ts";

/**
 * The result of a query. Its connection may take longer than a caller waits, so the signal ends the wait.
 * @throws ApiError `Unavailable` when the archive cannot be read
 */
export async function readArchive<T>(
  work: Promise<T>,
  { signal, logger }: { signal: AbortSignal; logger: Pick<Logger, "error"> },
): Promise<T> {
  let giveUp: (() => void) | undefined;
  const late = new Promise<never>((_, reject) => {
    giveUp = () => reject(new Error("the archive did not answer in time"));
    signal.addEventListener("abort", giveUp, { once: true });
  });
  try {
    return await Promise.race([work, late]);
  } catch (error) {
    logger.error({ err: error }, "Could not read the archive");
    throw new ApiError("Unavailable", "the archive cannot be read now; try again");
  } finally {
    if (giveUp) signal.removeEventListener("abort", giveUp);
  }
}
