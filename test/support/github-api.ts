import { createPublicKey, verify } from "node:crypto";
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** One request as GitHub saw it. */
interface Seen {
  route: string;
  body: { repositories?: string[]; permissions?: Record<string, string> };
}

type Answer = { status: number; body: object; headers?: Record<string, string> } | "hang" | "drop";

/** GitHub's API as far as an App gets tokens there: a server whose answers have the shapes that GitHub documents. */
export interface GitHubApi {
  /** `https://localhost:PORT/api/v3`. */
  readonly url: string;
  readonly seen: readonly Seen[];
  /** Tokens given out so far. */
  readonly tokens: readonly string[];
  /** Milliseconds that GitHub's clock is ahead. */
  skewMs: number;
  /** Lifetime of tokens in seconds. */
  lifetimeSeconds: number;
  /** Whether the App's installation is suspended: GitHub gives it no further token. */
  isSuspended: boolean;
  /** Answers of the next requests in place of the usual ones; used up one by one. */
  answers: Answer[];
  close(): Promise<void>;
}

export interface GitHubApiOptions {
  certificate: { cert: string; key: string };
  app: { id: number; installation: number; publicKey: string };
}

const documentation_url = "https://docs.github.com/rest";

export async function startGitHubApi({ certificate, app }: GitHubApiOptions): Promise<GitHubApi> {
  const seen: Seen[] = [];
  const tokens: string[] = [];
  const server = createServer({ cert: certificate.cert, key: certificate.key }, (request, response) => {
    void answer(request, response).catch(() => response.destroy());
  });
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const route = `${request.method ?? ""} ${(request.url ?? "").replace(/^\/api\/v3/, "")}`;
    const body = await text(request);
    seen.push({ route, body: body === "" ? {} : (JSON.parse(body) as Seen["body"]) });
    const said = api.answers.shift() ?? usual(request, route, seen.at(-1)!);
    if (said === "hang") return;
    if (said === "drop") {
      request.socket.destroy();
      return;
    }
    response.setHeader("date", new Date(Date.now() + api.skewMs).toUTCString());
    response.writeHead(said.status, { "content-type": "application/json; charset=utf-8", ...said.headers });
    response.end(JSON.stringify(said.body));
  };
  const usual = (request: IncomingMessage, route: string, { body }: Seen): Answer => {
    const problem = proofProblem(request.headers.authorization ?? "", app, Date.now() + api.skewMs);
    if (problem !== undefined) return { status: 401, body: { message: problem, documentation_url } };
    if (/^GET \/repos\/[^/]+\/[^/]+\/installation$/.test(route)) {
      return { status: 200, body: { id: app.installation, app_id: app.id, target_type: "Organization" } };
    }
    if (route !== `POST /app/installations/${app.installation}/access_tokens`) {
      return { status: 404, body: { message: "Not Found", documentation_url } };
    }
    if (api.isSuspended) {
      return { status: 403, body: { message: "This installation has been suspended", documentation_url } };
    }
    const token = `ghs_${String(app.id)}_planted${String(tokens.length)}${"x".repeat(40)}`;
    tokens.push(token);
    const expires = new Date(Date.now() + api.skewMs + api.lifetimeSeconds * 1_000);
    const repositories = (body.repositories ?? []).map((name, id) => ({ id, name, private: true }));
    return {
      status: 201,
      body: {
        token,
        expires_at: expires.toISOString().replace(/\.\d+Z$/, "Z"),
        permissions: { metadata: "read", ...body.permissions },
        repository_selection: "selected",
        repositories,
      },
    };
  };
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const api: GitHubApi = {
    url: `https://localhost:${(server.address() as AddressInfo).port}/api/v3`,
    seen,
    tokens,
    skewMs: 0,
    lifetimeSeconds: 3_600,
    isSuspended: false,
    answers: [],
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
  return api;
}

/** What GitHub says of an App's proof that it does not take. */
export function proofProblem(
  authorization: string,
  app: { id: number; publicKey: string },
  nowMs: number,
): string | undefined {
  const [head = "", claims = "", signature = ""] = authorization.replace(/^bearer /i, "").split(".");
  const isSigned = verify(
    "sha256",
    Buffer.from(`${head}.${claims}`),
    createPublicKey(app.publicKey),
    Buffer.from(signature, "base64url"),
  );
  if (!isSigned) return "A JSON web token could not be decoded";
  const { iss, exp, iat } = JSON.parse(Buffer.from(claims, "base64url").toString()) as Record<string, number>;
  if (Number(iss) !== app.id) return "Integration not found";
  const now = nowMs / 1_000;
  if (exp! > now + 600) return "'Expiration time' claim ('exp') is too far in the future";
  if (exp! < now)
    return "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires";
  return iat! > now
    ? "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued"
    : undefined;
}
