import type { ServerResponse } from "node:http";
import type { PageFile } from "./page-files.ts";

/** Answers JSON that nothing keeps. */
export function sendJson(response: ServerResponse, status: number, body: object): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    "content-type": "application/json; charset=utf-8",
    "content-length": Buffer.byteLength(text),
    "cache-control": "no-store",
  });
  response.end(text);
}

/** Answers an error in the shape of the REST API's. */
export function sendError(response: ServerResponse, status: number, code: string, error: string): void {
  // The unread rest of a body would be taken for the next request.
  response.setHeader("connection", "close");
  sendJson(response, status, { error, code });
}

export function sendFile(response: ServerResponse, { path, type, content }: PageFile): void {
  response.writeHead(200, {
    "content-type": type,
    "content-length": content.length,
    // Names of assets have a digest of their content in them.
    "cache-control": path.startsWith("/assets/") ? "public, max-age=31536000, immutable" : "no-cache",
  });
  response.end(content);
}

export function redirect(response: ServerResponse, location: string): void {
  response.writeHead(303, { location, "cache-control": "no-store" });
  response.end();
}
