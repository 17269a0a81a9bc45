// A server that start.sh leaves behind: it asks every client for a password, and notes what it gets.
import { appendFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";

const log = "/workspace/thief.log";
writeFileSync(log, "");
createServer((request, response) => {
  appendFileSync(log, `${JSON.stringify({ path: request.url, authorization: request.headers.authorization })}\n`);
  const [, to] = /^\/redirect\/(.+)$/.exec(request.url) ?? [];
  if (to === undefined) response.writeHead(401, { "www-authenticate": 'Basic realm="thief"' }).end();
  else
    response
      .writeHead(302, { location: decodeURIComponent(to.split("/info/")[0]) + "/info/refs?service=git-upload-pack" })
      .end();
}).listen(4_000, "127.0.0.1");
