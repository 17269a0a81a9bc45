import type { Logger } from "../../telemetry/logger.ts";
import { ApiError } from "../http/errors.ts";
import { FairQueue } from "../http/fair-queue.ts";

/**
 * Queries at once, of which a namespace, or a person who asks about all, has as many as it leaves free; and how many of one wait. A
 * database has few connections, and its writer needs one.
 */
const readLimits = { working: 3, waitingOfOne: 32 };

/** The line in which all readers of the archive stand. */
export function archiveReads(refused: () => void): FairQueue {
  return new FairQueue({ ...readLimits, refused });
}

/** What is answered where too much of one waits. */
export function tooManyReads(): ApiError {
  const message = `${readLimits.waitingOfOne} queries of yours wait for the archive already: try again, or ask the platform team for more (gateway.replicas)`;
  return new ApiError("Busy", message);
}

/**
 * The result of a query. Its connection may take longer than a caller waits, so the signal ends the wait.
 * @throws ApiError `Unavailable` when the archive cannot be read, or that of the work
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
    if (error instanceof ApiError) throw error;
    logger.error({ err: error }, "Could not read the archive");
    throw new ApiError("Unavailable", "the archive cannot be read now; try again");
  } finally {
    if (giveUp) signal.removeEventListener("abort", giveUp);
  }
}
