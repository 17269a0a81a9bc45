import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

export interface GitServerOptions {
  /** Who may read and write; everybody else gets 401. A password may change with time. */
  credential: { username: string; password: string | (() => string | undefined) };
  /** PEM; the certificate must name the host that clients use. */
  certificate: { cert: string; key: string };
}

/** A real git server over HTTPS with basic authentication, on loopback, in a folder of its own. */
export interface GitServer {
  /** `https://localhost:PORT`. */
  readonly url: string;
  /** Where the bare repositories are, each as `NAME.git`. */
  readonly root: string;
  /** Requests so far by status. */
  readonly answers: readonly { method: string; path: string; status: number }[];
  /** Makes a repository with one commit of these files on `main`; returns its URL. */
  addRepository(name: string, files: Readonly<Record<string, string>>): Promise<string>;
  /** Runs git in the bare repository and returns what it says. */
  git(name: string, ...args: string[]): Promise<string>;
  close(): Promise<void>;
}

/** Starts a server on a free port; the smart HTTP protocol is `git http-backend`'s. */
export async function startGitServer({ credential, certificate }: GitServerOptions): Promise<GitServer> {
  const root = await mkdtemp(join(tmpdir(), "runwright-git-"));
  const answers: { method: string; path: string; status: number }[] = [];
  const { username, password } = credential;
  const authorization = (): string => {
    const current = typeof password === "string" ? password : (password() ?? "");
    return `Basic ${Buffer.from(`${username}:${current}`).toString("base64")}`;
  };
  const server = createServer({ cert: certificate.cert, key: certificate.key }, (request, response) => {
    response.once("finish", () => {
      answers.push({ method: request.method ?? "", path: request.url ?? "", status: response.statusCode });
    });
    if (request.headers.authorization !== authorization()) {
      request.resume();
      response.writeHead(401, { "www-authenticate": 'Basic realm="git"' }).end();
      return;
    }
    serve(root, request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `https://localhost:${(server.address() as AddressInfo).port}`;
  return {
    url,
    root,
    answers,
    async addRepository(name, files) {
      await makeRepository(root, name, files);
      return `${url}/${name.split("/").map(encodeURIComponent).join("/")}.git`;
    },
    git: async (name, ...args) => (await run("git", ["-C", join(root, `${name}.git`), ...args])).stdout,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
      await rm(root, { recursive: true, force: true });
    },
  };
}

async function makeRepository(root: string, name: string, files: Readonly<Record<string, string>>): Promise<void> {
  const bare = join(root, `${name}.git`);
  const work = await mkdtemp(join(tmpdir(), "runwright-seed-"));
  const git = (...args: string[]): Promise<unknown> => run("git", ["-C", work, ...args]);
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(work, path)), { recursive: true });
    await writeFile(join(work, path), text);
  }
  await git("init", "--quiet", "--initial-branch=main");
  await git("add", "--all");
  await git(
    "-c",
    "user.name=Seed",
    "-c",
    "user.email=seed@localhost",
    "commit",
    "--quiet",
    "--allow-empty",
    "-m",
    "Begin",
  );
  await run("git", ["clone", "--quiet", "--bare", work, bare]);
  await run("git", ["-C", bare, "config", "http.receivepack", "true"]);
  await rm(work, { recursive: true });
}

/** One request as CGI (RFC 3875): the headers as environment, the bodies as streams. */
function serve(root: string, request: IncomingMessage, response: ServerResponse): void {
  const { pathname, searchParams } = new URL(request.url ?? "/", "https://localhost");
  const backend = spawn("git", ["http-backend"], {
    stdio: ["pipe", "pipe", "ignore"],
    env: {
      PATH: process.env.PATH,
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: "1",
      REQUEST_METHOD: request.method,
      PATH_INFO: decodeURIComponent(pathname),
      QUERY_STRING: searchParams.toString(),
      CONTENT_TYPE: request.headers["content-type"] ?? "",
      HTTP_CONTENT_ENCODING: request.headers["content-encoding"] ?? "",
      HTTP_GIT_PROTOCOL: header(request, "git-protocol"),
      GIT_PROTOCOL: header(request, "git-protocol"),
      REMOTE_USER: "git",
    },
  });
  backend.stdin.on("error", () => undefined);
  request.pipe(backend.stdin);
  let head: Buffer | undefined = Buffer.alloc(0);
  backend.stdout.on("data", (chunk: Buffer) => {
    if (!head) {
      response.write(chunk);
      return;
    }
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf("\r\n\r\n");
    if (end < 0) return;
    const rest = head.subarray(end + 4);
    answerHead(response, head.subarray(0, end).toString("latin1"));
    head = undefined;
    if (rest.length > 0) response.write(rest);
  });
  backend.once("error", () => response.destroy());
  backend.once("close", () => response.end());
}

function answerHead(response: ServerResponse, head: string): void {
  for (const line of head.split("\r\n")) {
    const at = line.indexOf(":");
    const [name, value] = [line.slice(0, at), line.slice(at + 1).trim()];
    if (name.toLowerCase() === "status") response.statusCode = Number.parseInt(value, 10);
    else response.setHeader(name, value);
  }
}

function header(request: IncomingMessage, name: string): string {
  const value = request.headers[name];
  return typeof value === "string" ? value : "";
}
