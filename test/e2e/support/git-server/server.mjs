// A git server for the demo: smart HTTP over TLS with basic authentication, served by git's own http-backend. It runs
// in the cluster on the sandbox image; this file, the certificate and the sample repository are mounted into the pod.
// At start it makes one bare repository from the sample files, with `main` as its only branch.
import { execFileSync, spawn } from "node:child_process";
import { cpSync, mkdirSync, readFileSync } from "node:fs";
import { createServer } from "node:https";
import process from "node:process";
import { Buffer } from "node:buffer";
import { timingSafeEqual } from "node:crypto";

const { GIT_USERNAME, GIT_PASSWORD } = process.env;
const sample = "/sample";
const files = "/data/files";
const repositories = "/data/repositories";
const port = 8443;

makeRepository();
const server = createServer({ cert: readFileSync("/tls/tls.crt"), key: readFileSync("/tls/tls.key") }, serve);
server.listen(port, () => console.log(`serving ${repositories} on port ${port}`));
process.on("SIGTERM", () => process.exit(0));

function makeRepository() {
  // Files of a mounted ConfigMap are links; git should have what they lead to.
  cpSync(sample, files, { recursive: true, dereference: true, filter: (path) => !path.includes("/..") });
  const bare = `${repositories}/checkout.git`;
  mkdirSync(bare, { recursive: true });
  const git = (cwd, ...args) => execFileSync("git", args, { cwd, stdio: ["ignore", "ignore", "inherit"] });
  git(bare, "init", "--quiet", "--bare", "--initial-branch=main");
  git(bare, "config", "http.receivepack", "true");
  git(files, "init", "--quiet", "--initial-branch=main");
  git(files, "add", "--all");
  git(
    files,
    "-c",
    "user.name=Shop",
    "-c",
    "user.email=shop@example.com",
    "commit",
    "--quiet",
    "--message=Import checkout",
  );
  git(files, "push", "--quiet", bare, "main");
}

function serve(request, response) {
  if (request.url === "/healthz") return void response.end("ok\n");
  if (!isAllowed(request.headers.authorization)) {
    response.writeHead(401, { "www-authenticate": 'Basic realm="git"' }).end("user name and password, please\n");
    return;
  }
  const [path, query = ""] = request.url.split("?");
  const backend = spawn("git", ["http-backend"], {
    env: {
      PATH: process.env.PATH,
      HOME: "/data",
      GIT_PROJECT_ROOT: repositories,
      GIT_HTTP_EXPORT_ALL: "1",
      GIT_PROTOCOL: request.headers["git-protocol"] ?? "",
      REQUEST_METHOD: request.method,
      PATH_INFO: path,
      QUERY_STRING: query,
      CONTENT_TYPE: request.headers["content-type"] ?? "",
      CONTENT_LENGTH: request.headers["content-length"] ?? "",
      HTTP_CONTENT_ENCODING: request.headers["content-encoding"] ?? "",
      REMOTE_USER: GIT_USERNAME,
      REMOTE_ADDR: request.socket.remoteAddress ?? "",
    },
    stdio: ["pipe", "pipe", "inherit"],
  });
  backend.on("error", () => response.writeHead(500).end());
  backend.stdin.on("error", () => undefined); // it may answer and go before it has read everything
  request.pipe(backend.stdin);
  answerWith(backend.stdout, response);
}

/** CGI: header lines, an empty line, the body. */
function answerWith(output, response) {
  let head = Buffer.alloc(0);
  output.on("data", function readHead(chunk) {
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf("\r\n\r\n");
    if (end < 0) return;
    output.off("data", readHead);
    let status = 200;
    for (const line of head.subarray(0, end).toString().split("\r\n")) {
      const [name, value] = line.split(/:\s*/, 2);
      if (name.toLowerCase() === "status") status = Number.parseInt(value, 10);
      else response.setHeader(name, value);
    }
    response.writeHead(status);
    response.write(head.subarray(end + 4));
    output.pipe(response);
  });
  output.on("end", () => response.end());
}

function isAllowed(header = "") {
  const given = Buffer.from(header);
  const wanted = Buffer.from(`Basic ${Buffer.from(`${GIT_USERNAME}:${GIT_PASSWORD}`).toString("base64")}`);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}
