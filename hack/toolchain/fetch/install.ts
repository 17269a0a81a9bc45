import { access, chmod, mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { join } from "node:path";

import { run } from "../../lib/command.ts";
import { withLock } from "../../lib/lock.ts";
import { whileReporting, type Progress } from "../../lib/progress.ts";
import { namingFullDisk } from "../obstacles.ts";
import { Connection, DownloadError } from "./connection.ts";
import { download } from "./download.ts";
import { isPublishedFor, thisPlatform, wholeDownload, type Platform, type Publication } from "./publication.ts";

/** How publications are got: by default for this machine, over this process's one {@link Connection}. */
export interface Means {
  connection: Connection;
  platform: string;
}

const usual: Means = { connection: new Connection(process.env), platform: thisPlatform() };

/** {@link installPublication} unless all programs are there. Safe to call from many processes at once. */
export async function ensurePublication(
  publication: Publication,
  folder: string,
  progress: Progress,
  means: Means = usual,
): Promise<void> {
  if (await isInstalled(publication, folder, means)) return;
  await withLock(`${folder}.lock`, progress, async () => {
    const isThere = await isInstalled(publication, folder, means);
    if (!isThere) await installPublication(publication, folder, progress, means);
  });
}

/** Whether a folder has all programs of a publication; each is whole if it is there. */
export async function isInstalled(
  publication: Publication,
  folder: string,
  { platform }: Pick<Means, "platform"> = usual,
): Promise<boolean> {
  if (!isPublishedFor(publication, platform)) return false;
  const names = Object.keys(publication.programs(platform));
  return Promise.all(names.map((name) => access(join(folder, name)))).then(
    () => true,
    () => false,
  );
}

/**
 * Puts the programs of a publication into a folder, each under its name and in one step, after the digest of what was downloaded has
 * proved right. A download that was cut off is gone on with the next time. Throws {@link DownloadError} when the publisher has
 * nothing for this machine, or says no. For one process at a time.
 */
export async function installPublication(
  publication: Publication,
  folder: string,
  progress: Progress,
  { connection, platform }: Means = usual,
): Promise<void> {
  const { title, digests, algorithm } = publication;
  if (!isPublishedFor(publication, platform)) throw new DownloadError(`there is no pinned download for ${platform}`);
  const [url, digest = ""] = [publication.url(platform), digests[platform]];
  const file = join(folder, `.download-${digest.slice(0, 16)}`);
  await mkdir(folder, { recursive: true });
  await namingFullDisk(`downloading ${title}`, folder, async () => {
    await whileReporting(progress, `downloading ${title} from ${new URL(url).host}`, () =>
      download({ url, digest, algorithm }, file, connection),
    );
    await place(publication, platform, file, folder);
  });
  await rm(file, { force: true });
}

async function place(publication: Publication, platform: Platform, file: string, folder: string): Promise<void> {
  const programs = Object.entries(publication.programs(platform));
  const members = programs.map(([, member]) => member).filter((member) => member !== wholeDownload);
  const unpacked = await mkdtemp(join(folder, ".unpacked-"));
  try {
    if (members.length > 0) await run("tar", ["-xzf", file, "-C", unpacked, ...members]);
    for (const [name, member] of programs) {
      const path = member === wholeDownload ? file : join(unpacked, member);
      await chmod(path, 0o755);
      await rename(path, join(folder, name));
    }
  } finally {
    await rm(unpacked, { recursive: true, force: true });
  }
}
