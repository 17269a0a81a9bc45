import { createHash } from "node:crypto";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import type { RequestListener } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { run } from "../../lib/command.ts";
import { onLinux } from "../../lib/on-linux.ts";
import { waitUntil } from "../../lib/wait.ts";
import { Connection, DownloadError } from "./connection.ts";
import { ensurePublication, installPublication, type Means } from "./install.ts";
import { startLocalPublisher, type LocalPublisher } from "./local-publisher.ts";
import { wholeDownload, type Publication } from "./publication.ts";

const silent = (): void => undefined;

let folder: string;
let place: string;
let publisher: LocalPublisher;
let means: Means;
let archive: Buffer;
let publication: Publication;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "install-"));
  place = join(folder, "place");
  archive = await makeArchive({ one: "echo one", other: "echo other", unwanted: "echo unwanted" });
  publisher = await startLocalPublisher({
    "/tools-linux-arm64.tar.gz": archive,
    "/script": Buffer.from("#!/bin/sh\necho whole\n"),
  });
  means = { connection: new Connection({}), platform: "linux-arm64" };
  publication = {
    title: "the tools",
    version: "1",
    source: "this test",
    url: (platform) => `${publisher.origin}/tools-${platform}.tar.gz`,
    algorithm: "sha256",
    digests: { "linux-arm64": sha256(archive) },
    programs: (platform) => ({ one: `${platform}/bin/one`, other: `${platform}/bin/other` }),
  };
});
afterEach(async () => {
  await means.connection.close();
  await publisher.stop();
  await rm(folder, { recursive: true });
});

describe("installPublication", () => {
  it("puts the programs of an archive in their place, ready to run, and nothing else", async () => {
    await installPublication(publication, place, silent, means);
    expect((await readdir(place)).sort()).toEqual(["one", "other"]);
    expect(await run(join(place, "one"), [])).toBe("one\n");
    expect(await run(join(place, "other"), [])).toBe("other\n");
  });

  it("puts a download that is the program itself in its place", async () => {
    const digest = sha256(Buffer.from("#!/bin/sh\necho whole\n"));
    const whole: Publication = {
      ...publication,
      url: () => `${publisher.origin}/script`,
      digests: { "linux-arm64": digest },
      programs: () => ({ tool: wholeDownload }),
    };
    await installPublication(whole, place, silent, means);
    expect(await readdir(place)).toEqual(["tool"]);
    expect(await run(join(place, "tool"), [])).toBe("whole\n");
  });

  it("unpacks and keeps nothing whose digest is wrong", async () => {
    const wrong: Publication = { ...publication, digests: { "linux-arm64": sha256(Buffer.from("other")) } };
    await expect(installPublication(wrong, place, silent, means)).rejects.toThrow(DownloadError);
    expect(await readdir(place)).toEqual([]);
  });

  it("keeps a download that was cut off, not to be run, and goes on with it the next time", async () => {
    const half = Math.floor(archive.byteLength / 2);
    const part = `.download-${sha256(archive).slice(0, 16)}`;
    publisher.next.push(cutOffAfter(half, join(place, part)), (_, response) => response.writeHead(403).end());
    await expect(installPublication(publication, place, silent, means)).rejects.toThrow(DownloadError);
    expect(await readdir(place)).toEqual([part]);
    expect((await stat(join(place, part))).mode & 0o111).toBe(0);
    await installPublication(publication, place, silent, means);
    expect((await readdir(place)).sort()).toEqual(["one", "other"]);
    expect(publisher.asked.at(-1)).toBe(`/tools-linux-arm64.tar.gz bytes=${half}-`);
  });

  it.runIf(onLinux("a file that is always full"))("says where the disk is full, and then works", async () => {
    const part = join(place, `.download-${sha256(archive).slice(0, 16)}`);
    await mkdir(place);
    await symlink("/dev/full", part);
    await expect(installPublication(publication, place, silent, means)).rejects.toThrow(
      new Error(`the disk is full while downloading the tools in ${place}: make room there and try again`),
    );
    await rm(part);
    await installPublication(publication, place, silent, means);
    expect((await readdir(place)).sort()).toEqual(["one", "other"]);
  });

  it("puts a program in the place of one that is there", async () => {
    await mkdir(place);
    await writeFile(join(place, "one"), "old");
    await installPublication(publication, place, silent, means);
    expect(await readFile(join(place, "one"), "utf8")).toContain("echo one");
  });

  it.each([{ platform: "darwin-arm64" }, { platform: "linux-riscv64" }, { platform: "toString" }])(
    "asks for nothing on $platform, which has no digest",
    async ({ platform }) => {
      await expect(installPublication(publication, place, silent, { ...means, platform })).rejects.toThrow(
        new DownloadError(`there is no pinned download for ${platform}`),
      );
      expect(publisher.asked).toEqual([]);
    },
  );
});

describe("ensurePublication", () => {
  it("downloads once for all that want it at the same time, and never again", async () => {
    await Promise.all([1, 2, 3].map(() => ensurePublication(publication, place, silent, means)));
    await ensurePublication(publication, place, silent, means);
    expect(publisher.asked).toEqual(["/tools-linux-arm64.tar.gz"]);
  });

  it("downloads where one program is missing", async () => {
    await ensurePublication(publication, place, silent, means);
    await rm(join(place, "other"));
    await ensurePublication(publication, place, silent, means);
    expect(await run(join(place, "other"), [])).toBe("other\n");
  });
});

/** Sends the beginning of the archive and hangs up when the file at `part` has it. */
function cutOffAfter(bytes: number, part: string): RequestListener {
  return (_, response) => {
    response.writeHead(200, { "content-length": archive.byteLength });
    response.write(archive.subarray(0, bytes));
    const stored = async (): Promise<boolean> => (await stat(part).catch(() => undefined))?.size === bytes;
    void waitUntil(stored, 10_000, () => Promise.resolve(`${bytes} bytes in ${part}`)).finally(() =>
      response.destroy(),
    );
  };
}

async function makeArchive(scripts: Readonly<Record<string, string>>): Promise<Buffer> {
  const bin = join(folder, "linux-arm64", "bin");
  await mkdir(bin, { recursive: true });
  for (const [name, script] of Object.entries(scripts)) {
    await writeFile(join(bin, name), `#!/bin/sh\n${script}\n`);
    await chmod(join(bin, name), 0o644);
  }
  await run("tar", ["-czf", join(folder, "archive"), "-C", folder, "linux-arm64"]);
  return readFile(join(folder, "archive"));
}

function sha256(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}
