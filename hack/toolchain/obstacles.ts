import { statfs } from "node:fs/promises";

/** What is in the way of work that needs the disk or the network, and what a person can do about it. */
interface Obstacle {
  /** As this process, npm, Go, apt, wget, pip and Docker say it. */
  said: RegExp;
  sentence: (what: string, folder: string) => string;
}

/** For a message that goes on after it. */
export const proxyRemedy =
  "the proxy wants a user and a password: put them into HTTPS_PROXY as http://USER:PASSWORD@HOST:PORT";

const fullDisk: Obstacle = {
  said: /ENOSPC|no space left on device/i,
  sentence: (what, folder) => `the disk is full while ${what} in ${folder}: make room there and try again`,
};

/** A disk with less room is full for programs that do not say why they fail. */
const leastBytes = 1024 * 1024;

const withoutConnection: readonly Obstacle[] = [
  {
    said: /E407\b|Proxy Authentication Required/,
    sentence: (what) => `there is no connection for ${what}: ${proxyRemedy}`,
  },
  {
    said: /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ENETUNREACH|ETIMEDOUT|no such host|unable to resolve|could not resolve|temporary failure|network is unreachable|could not connect to|connection timed out|connection refused|i\/o timeout/i,
    sentence: (what) =>
      `there is no connection for ${what}: try again with a network, or name its proxy in HTTPS_PROXY and HTTP_PROXY`,
  },
];

/**
 * Does the work; where it fails for want of disk space or of a connection, throws one sentence that says so and what to do. What the
 * work cleans up or goes on with is its own matter.
 */
export function namingObstacles<T>(what: string, folder: string, work: () => Promise<T>): Promise<T> {
  return naming([fullDisk, ...withoutConnection], { what, folder }, work);
}

/** {@link namingObstacles} of work that asks no other machine for anything. */
export function namingFullDisk<T>(what: string, folder: string, work: () => Promise<T>): Promise<T> {
  return naming([fullDisk], { what, folder }, work);
}

async function naming<T>(
  obstacles: readonly Obstacle[],
  { what, folder }: { what: string; folder: string },
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const text = error instanceof Error ? error.message : "";
    const obstacle = obstacles.find(({ said }) => said.test(text)) ?? ((await isFull(folder)) ? fullDisk : undefined);
    if (obstacle === undefined) throw error;
    throw new Error(obstacle.sentence(what, folder), { cause: error });
  }
}

/** Whether a folder's disk has no room; a place that is no folder has no disk either. */
async function isFull(folder: string): Promise<boolean> {
  const disk = await statfs(folder).catch(() => undefined);
  if (disk === undefined || disk.blocks === 0) return false;
  const free = process.getuid?.() === 0 ? disk.bfree : disk.bavail;
  return free * disk.bsize < leastBytes;
}
