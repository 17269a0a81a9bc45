import { createServer, request as forward, type IncomingMessage, type ServerResponse } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";

/** A forward proxy on loopback, by absolute URL and by tunnel. */
export interface LocalProxy {
  /** `http://127.0.0.1:PORT`. */
  origin: string;
  /** What was asked of it, in order: method, and URL or host and port. */
  passed: string[];
  stop(): Promise<void>;
}

/** Starts a proxy. With `password`, in the form `USER:PASSWORD`, it answers 407 to each request without that user and password. */
export async function startLocalProxy(password?: string): Promise<LocalProxy> {
  const passed: string[] = [];
  const wanted = password === undefined ? undefined : `Basic ${Buffer.from(password).toString("base64")}`;
  const isRefused = ({ headers }: IncomingMessage): boolean =>
    wanted !== undefined && headers["proxy-authorization"] !== wanted;
  const server = createServer((incoming, outgoing) => {
    passed.push(`${incoming.method} ${incoming.url}`);
    if (isRefused(incoming)) outgoing.writeHead(407, { "proxy-authenticate": "Basic" }).end();
    else passOn(incoming, outgoing);
  });
  server.on("connect", (incoming, socket: Socket) => {
    passed.push(`CONNECT ${incoming.url}`);
    if (isRefused(incoming)) socket.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
    else tunnel(incoming, socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    passed,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function passOn({ method, url = "", headers }: IncomingMessage, outgoing: ServerResponse): void {
  forward(url, { method, headers }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(outgoing);
  }).end();
}

function tunnel({ url = "" }: IncomingMessage, socket: Socket): void {
  const [host = "", port = ""] = url.split(":");
  const upstream = connect(Number(port), host, () => {
    socket.write("HTTP/1.1 200 Connection Established\r\n\r\n");
    upstream.pipe(socket).pipe(upstream);
  });
  for (const end of [socket, upstream]) end.on("error", () => undefined);
}
