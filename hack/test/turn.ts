import { tmpdir } from "node:os";
import { join } from "node:path";

import { withLock } from "../lib/lock.ts";
import type { Progress } from "../lib/progress.ts";

/** Set for what a holder of the turn starts, which must not wait for it. */
const heldVariable = "RUNWRIGHT_TEST_TURN";
const path = join(tmpdir(), "runwright-tests.lock");

/**
 * Runs `work` while no other tests of this machine run servers or a cluster: two such runs would make each other so slow that tests fail for it. Waits as long as
 * the others take, and says for whom; a process that was killed has no turn any more.
 */
export async function inTurn<T>(progress: Progress, work: () => Promise<T>): Promise<T> {
  if (process.env[heldVariable] !== undefined) return work();
  return withLock(path, progress, async () => {
    process.env[heldVariable] = String(process.pid);
    try {
      return await work();
    } finally {
      Reflect.deleteProperty(process.env, heldVariable);
    }
  });
}
