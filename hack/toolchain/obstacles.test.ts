import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { run } from "../lib/command.ts";
import { mountingCommand } from "../lib/mounting.ts";
import { namingFullDisk, namingObstacles } from "./obstacles.ts";

const full = "the disk is full while fetching tool 1 in /cache: make room there and try again";
const password =
  "there is no connection for fetching tool 1: the proxy wants a user and a password: " +
  "put them into HTTPS_PROXY as http://USER:PASSWORD@HOST:PORT";
const noWay =
  "there is no connection for fetching tool 1: try again with a network, or name its proxy in HTTPS_PROXY and HTTP_PROXY";

// What the programs printed, beside a proxy that answers 407, a port on which nothing listens and an unknown name.
const said = [
  { by: "this process", text: "ENOSPC: no space left on device, write", want: full },
  { by: "tar", text: "tar: tool: Cannot write: No space left on device", want: full },
  { by: "npm", text: "npm error code E407\nnpm error 407 Proxy Authentication Required - GET URL", want: password },
  { by: "Go", text: 'tool@v1: Get "https://example.com/tool": Proxy Authentication Required', want: password },
  { by: "apt", text: "E: Failed to fetch URL  407  Proxy Authentication Required [IP: 127.0.0.1 1]", want: password },
  { by: "wget", text: "2026-11-24 19:29:05 ERROR 407: Proxy Authentication Required.", want: password },
  { by: "npm", text: "npm error code ENOTFOUND\nnpm error syscall getaddrinfo", want: noWay },
  { by: "npm", text: "npm error code ECONNREFUSED\nnpm error syscall connect", want: noWay },
  { by: "Go", text: "dial tcp: lookup example.invalid on 127.0.0.1:53: no such host", want: noWay },
  { by: "Go", text: "proxyconnect tcp: dial tcp 127.0.0.1:1: connect: connection refused", want: noWay },
  { by: "apt", text: "E: Failed to fetch URL  Could not connect to 127.0.0.1:1 (127.0.0.1).", want: noWay },
  { by: "wget", text: "Connecting to 127.0.0.1:1... failed: Connection refused.", want: noWay },
];

const mounting = await mountingCommand();
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "obstacles-"));
});
afterAll(() => rm(folder, { recursive: true }));

describe("namingObstacles", () => {
  it.each(said)("makes one sentence of what $by says: $text", async ({ text, want }) => {
    const work = namingObstacles("fetching tool 1", "/cache", () => Promise.reject(new Error(text)));
    await expect(work).rejects.toThrow(new Error(want));
  });

  it("leaves other failures as they are", async () => {
    const failure = new Error("exit status 1\n# example.com/tool\n./main.go:7: undefined: x");
    await expect(namingObstacles("building", "/cache", () => Promise.reject(failure))).rejects.toBe(failure);
  });

  it("says nothing of connections where none is needed", async () => {
    const work = (text: string): Promise<void> =>
      namingFullDisk("loading", "/cache", () => Promise.reject(new Error(text)));
    await expect(work("ENOSPC")).rejects.toThrow("the disk is full while loading in /cache");
    await expect(work("connection refused")).rejects.toThrow(new Error("connection refused"));
  });

  it.runIf(mounting)(
    "sees that a disk is full where a program does not say so, and that it is full no more",
    async () => {
      const module = JSON.stringify(join(import.meta.dirname, "obstacles.ts"));
      const program = `const { namingFullDisk } = await import(${module});
      const [folder] = process.argv.slice(1);
      await namingFullDisk("starting it", folder, () => Promise.reject(new Error("exit status 1"))).catch((error) => {
        console.log(error.message.replace(folder, "FOLDER"));
      });`;
      // What is left is below, at and above the least that counts as room.
      const script = `mount -t tmpfs -o size=4m tmpfs "$1"
      head -c 3149824 /dev/zero > "$1/some"; "$@"
      head -c 3145728 /dev/zero > "$1/some"; "$@"
      rm "$1/some"; "$@"`;
      const [command = "", ...args] = mounting ?? [];
      const node = ["--input-type=module", "--eval", program];
      const shell = [
        "sh",
        "-c",
        script.replaceAll('"$@"', '"$0" "$2" "$3" "$4" "$1"'),
        process.execPath,
        folder,
        ...node,
      ];
      const said = (await run(command, [...args, ...shell])).split("\n");
      const want = "the disk is full while starting it in FOLDER: make room there and try again";
      expect(said).toEqual([want, "exit status 1", "exit status 1", ""]);
    },
  );

  it("gives what the work gives", async () => {
    await expect(namingObstacles("building", "/cache", () => Promise.resolve(7))).resolves.toBe(7);
  });
});
