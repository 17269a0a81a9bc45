import { createHash } from "node:crypto";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";

import { run } from "../lib/command.ts";
import { onLinux } from "../lib/on-linux.ts";
import { Connection } from "./fetch/connection.ts";
import type { Means } from "./fetch/install.ts";
import { startLocalProxy } from "./fetch/local-proxy.ts";
import { startLocalPublisher, type LocalPublisher } from "./fetch/local-publisher.ts";
import { wholeDownload } from "./fetch/publication.ts";
import { ensureGoProgram, type GoProgram } from "./go-build.ts";
import { proxyRemedy } from "./obstacles.ts";

const silent = (): void => undefined;
const downloaded = Buffer.from("#!/bin/sh\necho downloaded\n");

let folder: string;
let publisher: LocalPublisher;
let means: Means;
let program: GoProgram & { published: NonNullable<GoProgram["published"]> };

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "go-build-"));
  publisher = await startLocalPublisher({ "/tool": downloaded });
  means = { connection: new Connection({}), platform: "linux-amd64" };
  program = {
    title: "tool 1",
    path: join(folder, "tool", "1", "tool"),
    build: (output) => writeFile(output, "#!/bin/sh\necho built\n", { mode: 0o755 }),
    published: {
      title: "tool 1",
      version: "1",
      source: "this test",
      url: () => `${publisher.origin}/tool`,
      algorithm: "sha256",
      digests: { "linux-amd64": createHash("sha256").update(downloaded).digest("hex") },
      programs: () => ({ tool: wholeDownload }),
    },
  };
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await means.connection.close();
  await publisher.stop();
  await rm(folder, { recursive: true });
});

describe("ensureGoProgram", () => {
  it("gives what is in the cache and asks no publisher", async () => {
    await mkdir(join(folder, "tool", "1"), { recursive: true });
    await writeFile(program.path, "cached");
    await expect(ensureGoProgram(program, silent, means)).resolves.toBe(program.path);
    expect([await readFile(program.path, "utf8"), publisher.asked]).toEqual(["cached", []]);
  });

  it("takes the publisher's program before it builds, with Go and without", async () => {
    await onlyOnPath({ go: false });
    expect(await run(await ensureGoProgram(program, silent, means), [])).toBe("downloaded\n");
    await rm(program.path);
    await onlyOnPath({ go: true });
    expect(await run(await ensureGoProgram(program, silent, means), [])).toBe("downloaded\n");
    expect(await readdir(join(folder, "tool", "1"))).toEqual(["tool"]);
  });

  it.each([
    { name: "says no", refuse: () => publisher.next.push((_, response) => response.writeHead(403).end()) },
    { name: "gives something else", refuse: () => publisher.next.push((_, response) => response.end("sign in first")) },
    { name: "does not answer", refuse: () => publisher.stop() },
    { name: "has nothing for this machine", refuse: () => (means = { ...means, platform: "linux-riscv64" }) },
  ])("builds with Go where the publisher $name", async ({ refuse }) => {
    await onlyOnPath({ go: true });
    await refuse();
    expect(await run(await ensureGoProgram(program, silent, means), [])).toBe("built\n");
  });

  it("says in one sentence what to install where there is no Go either", async () => {
    await onlyOnPath({ go: false });
    publisher.next.push((_, response) => response.writeHead(403).end());
    await expect(ensureGoProgram(program, silent, means)).rejects.toThrow(
      `tool 1 was not downloaded (${publisher.origin}/tool answers 403) and there is no Go: ` +
        "install Go 1.25 or newer and put `go` on PATH",
    );
    await expect(readdir(join(folder, "tool", "1"))).resolves.toEqual([]);
  });

  it("says what a proxy wants where there is no Go either, and then downloads", async () => {
    await onlyOnPath({ go: false });
    const proxy = await startLocalProxy("user:password");
    onTestFinished(() => proxy.stop());
    await expect(ensureGoProgram(program, silent, through(proxy.origin))).rejects.toThrow(
      `tool 1 was not downloaded (${proxyRemedy}) and there is no Go`,
    );
    const told = through(proxy.origin.replace("//", "//user:password@"));
    expect(await run(await ensureGoProgram(program, silent, told), [])).toBe("downloaded\n");
  });

  it("says that nothing listens where there is no Go either, and then downloads", async () => {
    await onlyOnPath({ go: false });
    const proxy = await startLocalProxy();
    await proxy.stop();
    await expect(ensureGoProgram(program, silent, through(proxy.origin))).rejects.toThrow(
      /^tool 1 was not downloaded \(127\.0\.0\.1:\d+ cannot be reached \([^\n]*ECONNREFUSED[^\n]*\)\) and there is no Go: /,
    );
    expect(await run(await ensureGoProgram(program, silent, means), [])).toBe("downloaded\n");
  });

  it.runIf(onLinux("a file that is always full"))("says where the disk is full, and then builds", async () => {
    await onlyOnPath({ go: true });
    const { title, path, build } = program;
    const full = (output: string): Promise<string> =>
      run("sh", ["-c", 'echo >"$1"; /bin/cat "$1" >/dev/full', "sh", output]);
    await expect(ensureGoProgram({ title, path, build: full }, silent, means)).rejects.toThrow(
      /^the disk is full while building tool 1 in .*tool\/1, [^\n]*: make room there and try again$/,
    );
    expect(await run(await ensureGoProgram({ title, path, build }, silent, means), [])).toBe("built\n");
    expect(await readdir(join(folder, "tool", "1"))).toEqual(["tool"]);
  });

  it.runIf(onLinux("a file that is always full"))(
    "does not build where the disk is too full for the download",
    async () => {
      await onlyOnPath({ go: true });
      await mkdir(join(folder, "tool", "1"), { recursive: true });
      const { digests } = program.published;
      await symlink("/dev/full", join(folder, "tool", "1", `.download-${digests["linux-amd64"]?.slice(0, 16)}`));
      await expect(ensureGoProgram(program, silent, means)).rejects.toThrow(
        "the disk is full while downloading tool 1",
      );
    },
  );

  it("says so too of a program without a publisher", async () => {
    await onlyOnPath({ go: false });
    const { title, path, build } = program;
    await expect(ensureGoProgram({ title, path, build }, silent, means)).rejects.toThrow(
      "tool 1 has to be built and there is no Go: install Go 1.25 or newer and put `go` on PATH",
    );
  });
});

/** The same means through a proxy. */
function through(proxy: string): Means {
  const connection = new Connection({ HTTP_PROXY: proxy });
  onTestFinished(() => connection.close());
  return { ...means, connection };
}

/** A PATH with a shell, and with something by the name of Go or not. */
async function onlyOnPath({ go }: { go: boolean }): Promise<void> {
  const path = await mkdtemp(join(folder, "path-"));
  await symlink("/bin/sh", join(path, "sh"));
  if (go) {
    await writeFile(join(path, "go"), "#!/bin/sh\n");
    await chmod(join(path, "go"), 0o755);
  }
  vi.stubEnv("PATH", path);
}
