import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A page of some size that needs nothing else: what the browser itself takes for a view. */
export interface BarePage {
  url: string;
  close(): void;
}

/** Serves a page whose script, of so many bytes, shows the heading `Bare` as soon as it runs. */
export async function serveBarePage(scriptBytes: number): Promise<BarePage> {
  const show =
    'const heading = document.createElement("h1"); heading.textContent = "Bare"; document.body.append(heading);';
  const script = `${show}/*${"x".repeat(Math.max(0, scriptBytes - show.length - 4))}*/`;
  const server = createServer((request, response) => {
    const isScript = request.url === "/script.js";
    response.setHeader("content-type", isScript ? "text/javascript" : "text/html");
    response.end(isScript ? script : '<!doctype html><body><script type="module" src="/script.js"></script>');
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
