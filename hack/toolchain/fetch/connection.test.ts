import { createServer, type AddressInfo, type Server, type Socket } from "node:net";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { proxyRemedy } from "../obstacles.ts";
import { Connection, DownloadError } from "./connection.ts";
import { startLocalProxy, type LocalProxy } from "./local-proxy.ts";
import { startLocalPublisher, type LocalPublisher } from "./local-publisher.ts";

// undici counts connection times in halves of a second.
const patience = { connectMs: 300, silenceMs: 3_000 };

let publisher: LocalPublisher;
const closing: (() => Promise<unknown>)[] = [];

beforeEach(async () => {
  publisher = await startLocalPublisher({ "/tool": Buffer.from("the tool") });
  closing.push(() => publisher.stop());
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

describe("a connection", () => {
  it("gets a file, and what comes from a byte on", async () => {
    const connection = open({});
    expect(await (await connection.get(`${publisher.origin}/tool`, 0)).text()).toBe("the tool");
    expect(await (await connection.get(`${publisher.origin}/tool`, 4)).text()).toBe("tool");
    expect(publisher.asked).toEqual(["/tool", "/tool bytes=4-"]);
  });

  it("remembers a host that gives no connection in time, and asks no other then", async () => {
    const connection = open({});
    const silent = await startSilentServer();
    const want = new DownloadError(`127.0.0.1:${silent.port} cannot be reached (no connection within 0.3 s)`);
    await expect(connection.get(`https://127.0.0.1:${silent.port}/tool`, 0)).rejects.toThrow(want);
    await expect(connection.get(`${publisher.origin}/tool`, 0)).rejects.toThrow(want);
    expect([silent.connections(), publisher.asked]).toEqual([1, []]);
  });

  it("remembers a host that takes the connection and never answers", async () => {
    const connection = open({});
    const silent = await startSilentServer();
    const want = `127.0.0.1:${silent.port} cannot be reached (no answer within 3 s)`;
    await expect(connection.get(`http://127.0.0.1:${silent.port}/tool`, 0)).rejects.toThrow(new DownloadError(want));
    await expect(connection.get(`${publisher.origin}/tool`, 0)).rejects.toThrow(new DownloadError(want));
    expect(publisher.asked).toEqual([]);
  });

  it("asks others after a host that refuses at once", async () => {
    const connection = open({});
    const { port } = await startSilentServer({ isClosed: true });
    await expect(connection.get(`http://127.0.0.1:${port}/tool`, 0)).rejects.toThrow(/ECONNREFUSED/);
    expect((await connection.get(`${publisher.origin}/tool`, 0)).status).toBe(200);
  });

  it.each([
    { variable: "HTTP_PROXY", noProxy: "", want: 1 },
    { variable: "http_proxy", noProxy: "", want: 1 },
    { variable: "HTTP_PROXY", noProxy: "example.com,127.0.0.1", want: 0 },
  ])("with $variable and NO_PROXY=$noProxy goes through the proxy $want times", async ({ variable, noProxy, want }) => {
    const proxy = await startProxy();
    const connection = open({ [variable]: proxy.origin, NO_PROXY: noProxy });
    expect(await (await connection.get(`${publisher.origin}/tool`, 0)).text()).toBe("the tool");
    expect(proxy.passed).toHaveLength(want);
  });

  it("asks the proxy of HTTPS_PROXY for a tunnel", async () => {
    const proxy = await startProxy();
    const silent = await startSilentServer();
    const connection = open({ HTTPS_PROXY: proxy.origin });
    await expect(connection.get(`https://127.0.0.1:${silent.port}/tool`, 0)).rejects.toThrow(DownloadError);
    expect(proxy.passed).toEqual([`CONNECT 127.0.0.1:${silent.port}`]);
  });

  it.each(["https://get.example.com/tool", "http://get.example.com/tool"])(
    "says what to do where the proxy wants a password for %s",
    async (url) => {
      const proxy = await startProxy("user:password");
      const connection = open({ HTTPS_PROXY: proxy.origin, HTTP_PROXY: proxy.origin });
      await expect(connection.get(url, 0)).rejects.toThrow(new DownloadError(proxyRemedy));
    },
  );

  it("goes through a proxy whose password it was told", async () => {
    const proxy = await startProxy("user:password");
    const connection = open({ HTTP_PROXY: proxy.origin.replace("//", "//user:password@") });
    expect(await (await connection.get(`${publisher.origin}/tool`, 0)).text()).toBe("the tool");
  });

  it("names a proxy that is no URL", async () => {
    await expect(open({ HTTPS_PROXY: "no url" }).get(publisher.origin, 0)).rejects.toThrow(
      new DownloadError('HTTPS_PROXY or HTTP_PROXY is "no url", which is no URL such as http://proxy.example.com:3128'),
    );
  });
});

async function startProxy(password?: string): Promise<LocalProxy> {
  const proxy = await startLocalProxy(password);
  closing.push(() => proxy.stop());
  return proxy;
}

function open(environment: NodeJS.ProcessEnv): Connection {
  const connection = new Connection(environment, patience);
  closing.push(() => connection.close());
  return connection;
}

/** Takes connections and never says a word, so that no TLS session begins; or has only just stopped listening. */
async function startSilentServer({ isClosed = false } = {}): Promise<{ port: number; connections: () => number }> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on("error", () => undefined);
  });
  const port = await listen(server);
  const stop = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  };
  if (isClosed) await stop();
  else closing.push(stop);
  return { port, connections: () => sockets.length };
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port));
  });
}
