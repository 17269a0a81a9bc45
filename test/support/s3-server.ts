import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import { afterAll, beforeAll, vi } from "vitest";

import { progressOnStderr } from "../../hack/lib/progress.ts";
import { ensureS3Server } from "../../hack/toolchain/s3-server.ts";

/** A real S3 server. */
export interface S3Server {
  /** `http://ADDRESS:PORT`. */
  readonly url: string;
  readonly credentials: { accessKeyId: string; secretAccessKey: string };
  readonly bucket: string;
  /** Where the buckets are folders on this machine. */
  readonly folder: string;
  /** SIGKILL; resolves when it is gone. */
  kill(): Promise<void>;
  /** Starts it again at the same address; resolves when it answers. */
  start(): Promise<void>;
  close(): Promise<void>;
}

/** Gives this process the server's credentials, as the AWS SDK looks for them, until all environment is unstubbed. */
export function useCredentialsOf({ credentials: { accessKeyId, secretAccessKey } }: S3Server): void {
  vi.stubEnv("AWS_ACCESS_KEY_ID", accessKeyId);
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", secretAccessKey);
}

/** A server of the test file's own, whose credentials this process has; its members are there once it is up. */
export function ownS3Server(): S3Server {
  const server = {} as S3Server;
  beforeAll(async () => {
    Object.assign(server, await startS3Server());
    useCredentialsOf(server);
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    await server.close();
  });
  return server;
}

const credentials = { accessKeyId: "tests", secretAccessKey: "only-for-tests" };
const bucket = "sessions";
const startLimitMs = 60_000;

/** Starts the server with one empty bucket, by default on loopback; rejects with what it said when it does not come up. */
export async function startS3Server(host = "127.0.0.1"): Promise<S3Server> {
  const program = await ensureS3Server(progressOnStderr("S3 server"));
  const folder = await mkdtemp(join(tmpdir(), "runwright-s3-"));
  await mkdir(join(folder, bucket));
  const address = `${host}:${await freePort(host)}`;
  const url = `http://${address}`;
  const keys = ["--access", credentials.accessKeyId, "--secret", credentials.secretAccessKey];
  let kill = (): Promise<void> => Promise.resolve();
  const close = async (): Promise<void> => {
    await kill();
    await rm(folder, { recursive: true, force: true });
  };
  const start = async (): Promise<void> => {
    const server = spawn(program, ["--port", address, ...keys, "--quiet", "posix", folder], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    let said = "";
    for (const stream of [server.stdout, server.stderr]) stream.on("data", (text: Buffer) => (said += String(text)));
    const ended = once(server, "exit");
    kill = async () => {
      server.kill("SIGKILL");
      await ended;
    };
    const deadline = performance.now() + startLimitMs;
    while (!(await answers(url))) {
      if (server.exitCode !== null || performance.now() > deadline) {
        await close();
        throw new Error(`the S3 server did not start: ${said}`);
      }
      await delay(50);
    }
  };
  await start();
  return { url, credentials, bucket, folder, start, kill: () => kill(), close };
}

/** Whichever the answer, without a signature it is a refusal. */
async function answers(url: string): Promise<boolean> {
  return fetch(url).then(
    async (response) => {
      await response.body?.cancel();
      return true;
    },
    () => false,
  );
}

async function freePort(host: string): Promise<number> {
  const server = createServer().listen(0, host);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
