import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A file server on loopback that stands in a publisher's place. */
export interface LocalPublisher {
  /** `http://127.0.0.1:PORT`. */
  origin: string;
  /** What it serves, by path; more may be added. */
  files: Record<string, Buffer>;
  /** What was asked for, in order: path, and the range where one was named. */
  asked: string[];
  /** Answers for the next requests, one each; after them files are served as a publisher does, by range too. */
  next: RequestListener[];
  stop(): Promise<void>;
}

/** Serves files by their paths, such as `/helm.tar.gz`. */
export async function startLocalPublisher(given: Readonly<Record<string, Buffer>>): Promise<LocalPublisher> {
  const files = { ...given };
  const asked: string[] = [];
  const next: RequestListener[] = [];
  const server = createServer((request, response) => {
    asked.push([request.url, request.headers.range].filter(Boolean).join(" "));
    const serve = next.shift() ?? ((): void => serveFile(files[request.url ?? ""], request, response));
    serve(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    files,
    asked,
    next,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function serveFile(file: Buffer | undefined, request: IncomingMessage, response: ServerResponse): void {
  if (file === undefined) {
    response.writeHead(404).end();
    return;
  }
  const [, from] = /^bytes=(\d+)-$/.exec(request.headers.range ?? "") ?? [];
  if (from === undefined) {
    response.writeHead(200, { "content-length": file.byteLength }).end(file);
    return;
  }
  const start = Number(from);
  if (start >= file.byteLength) {
    response.writeHead(416, { "content-range": `bytes */${file.byteLength}` }).end();
    return;
  }
  const rest = file.subarray(start);
  const range = `bytes ${start}-${file.byteLength - 1}/${file.byteLength}`;
  response.writeHead(206, { "content-length": rest.byteLength, "content-range": range }).end(rest);
}
