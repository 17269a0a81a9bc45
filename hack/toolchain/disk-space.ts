/**
 * Does the work; where it fails for want of disk space, throws one sentence that says so and names the folder. What the work cleans
 * up or goes on with is its own matter.
 */
export async function needingDiskSpace<T>(what: string, folder: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isDiskFull(error)) throw error;
    throw new Error(`the disk is full while ${what} in ${folder}: make room there and try again`, { cause: error });
  }
}

/** Said by this process as a code; by programs such as Go and tar in words. */
function isDiskFull(error: unknown): boolean {
  return error instanceof Error && /ENOSPC|no space left on device/i.test(error.message);
}
