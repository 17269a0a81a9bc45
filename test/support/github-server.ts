import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

import type { Endpoints } from "@octokit/types";

import { proofProblem } from "./github-api.ts";
import {
  deliveriesOf,
  issueData,
  listed,
  listedOfReview,
  listedOnLines,
  pullData,
  reviewKey,
  shown,
} from "./github-answers.ts";
import type { GitHubAnswer, GitHubComment, GitHubServer } from "./github-model.ts";
import { createPull, listPulls, shownReview } from "./github-pulls.ts";

type InstallationData = Endpoints["GET /app/installations/{installation_id}"]["response"]["data"];

const documentation_url = "https://docs.github.com/rest";
const notFound: GitHubAnswer = { status: 404, body: { message: "Not Found", documentation_url } };
const longestComment = 65_536;

/** GitHub's REST API as far as the connector calls it, with its limits; answers have the fields of GitHub's own types. */
export async function startGitHubServer(address = "127.0.0.1"): Promise<GitHubServer> {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", {
    modulusLength: 2_048,
    // As GitHub writes it.
    privateKeyEncoding: { type: "pkcs1", format: "pem" },
    publicKeyEncoding: { type: "spki", format: "pem" },
  });
  const server = createServer((request, response) => void answer(request, response).catch(() => response.destroy()));
  server.listen(0, address);
  await once(server, "listening");
  let ids = 1_000;

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request);
    const [, caller = "", path = ""] = /^(?:\/caller-(\w+))?(\/.*)$/.exec(request.url ?? "") ?? [];
    if (github.dead.has(caller)) return void request.socket.destroy();
    const route = `${request.method ?? ""} ${path}`;
    if (path === "/elsewhere") {
      github.leaked.push(request.headers.authorization ?? "");
      return void response.writeHead(404).end();
    }
    github.calls.push(route);
    const fault = github.fault?.(route);
    if (fault === "hang") return;
    if (fault === "drop") return void request.socket.destroy();
    if (fault === "html") return void response.writeHead(200, { "content-type": "text/html" }).end("<html>down</html>");
    if (fault === "redirect") return void response.writeHead(301, { location: `${github.url}/elsewhere` }).end();
    if (fault === "throttle") {
      send(response, { status: 403, body: { message: "secondary rate limit" } }, { "retry-after": "1" });
      return;
    }
    const failed = { error: 502, refuse: 403, unauthorized: 401 }[fault as string];
    if (failed !== undefined) {
      send(response, { status: failed, body: { message: "planted", documentation_url } });
      return;
    }
    const parsed = body === "" ? {} : (JSON.parse(body) as Record<string, unknown>);
    const answered = isOfApp(path) ? asApp(request, route, parsed) : asInstallation(request, route, parsed);
    if (answered.status === 400 || answered.status === 422)
      github.refused.push(`${route}: ${JSON.stringify(answered.body)}`);
    await github.after?.(route, caller);
    const url = new URL(path, github.url);
    github.answered.push({
      method: request.method ?? "",
      url,
      sent: parsed,
      status: answered.status,
      body: JSON.parse(written(answered.body)),
    });
    if (fault === "lose") return void request.socket.destroy();
    send(response, answered);
  };

  const asApp = (request: IncomingMessage, route: string, body: Record<string, unknown>): GitHubAnswer => {
    const problem = proofProblem(request.headers.authorization ?? "", github.app, Date.now());
    if (problem !== undefined) return { status: 401, body: { message: problem, documentation_url } };
    const { id, ...installation } = github.installation;
    if (route === `GET /app/installations/${id}`) {
      const data: Pick<InstallationData, "id" | "app_id" | "app_slug" | "events" | "suspended_at"> & {
        account: { login: string };
        permissions: Record<string, string>;
      } = { id, app_id: github.app.id, app_slug: github.app.slug, account: { login: "acme" }, ...installation };
      return { status: 200, body: data };
    }
    const { pathname, searchParams } = new URL(route.slice(route.indexOf("/")), "http://unused");
    if (pathname === "/app/hook/deliveries") return deliveriesOf(github, searchParams);
    const [, attempted] = /^POST \/app\/hook\/deliveries\/(\d+)\/attempts$/.exec(route) ?? [];
    if (attempted !== undefined) {
      const delivery = github.deliveries.find((one) => one.id === attempted);
      if (!delivery) return notFound;
      github.redeliver?.(delivery);
      return { status: 202, body: {} };
    }
    if (route !== `POST /app/installations/${id}/access_tokens`) return notFound;
    const { repositories, permissions } = body as { repositories: string[]; permissions: Record<string, string> };
    const token = `ghs_planted${github.tokens.length}${"x".repeat(30)}`;
    github.tokens.push({ token, repositories, permissions });
    const expires_at = new Date(Date.now() + 3_600_000).toISOString();
    return { status: 201, body: { token, expires_at, permissions } };
  };

  const asInstallation = (request: IncomingMessage, route: string, body: Record<string, unknown>): GitHubAnswer => {
    const token = /^token (.+)$/.exec(request.headers.authorization ?? "")?.[1];
    const held = github.tokens.find((one) => one.token === token);
    const [, repository = "", rest = ""] = /^\w+ \/repos\/([^/]+\/[^/]+)(.*)$/.exec(route) ?? [];
    if (!held) return { status: 401, body: { message: "Bad credentials", documentation_url } };
    const name = repository.split("/")[1]?.toLowerCase();
    if (!held.repositories.some((one) => one.toLowerCase() === name)) return notFound;
    const method = route.split(" ")[0] ?? "";
    const { pathname, searchParams } = new URL(rest, "http://unused");
    for (const [pattern, call] of routes) {
      const match = pattern.exec(`${method} ${pathname}`);
      if (match) return call({ repository: repository.toLowerCase(), key: match[1] ?? "", query: searchParams, body });
    }
    return notFound;
  };

  interface Call {
    repository: string;
    key: string;
    query: URLSearchParams;
    body: Record<string, unknown>;
  }
  const found = (item: object | undefined): GitHubAnswer => (item ? { status: 200, body: item } : notFound);
  const commentWith = ({ repository, key }: Call, isReview: boolean): GitHubComment | undefined =>
    github.comments.find(
      (one) => one.repository === repository && one.id === Number(key) && (one.review !== undefined) === isReview,
    );
  const react = (call: Call, isReview: boolean): GitHubAnswer => {
    const comment = commentWith(call, isReview);
    const content = String(call.body.content);
    if (!comment) return notFound;
    const isNew = !comment.reactions.includes(content);
    if (isNew) comment.reactions.push(content);
    return { status: isNew ? 201 : 200, body: { id: comment.id, content } };
  };
  const appUser = (): GitHubComment["user"] => ({ id: 9, login: `${github.app.slug}[bot]` });
  const routes: readonly (readonly [RegExp, (call: Call) => GitHubAnswer])[] = [
    [/^GET \/issues\/(\d+)$/, ({ repository, key }) => found(issueData(github, repository, Number(key)))],
    [/^GET \/pulls\/(\d+)$/, ({ repository, key }) => found(pullData(github, repository, Number(key)))],
    [
      /^GET \/pulls\/(\d+\/reviews\/\d+)$/,
      ({ repository, key }) =>
        found(
          github.reviews.filter((one) => one.repository === repository && reviewKey(one) === key).map(shownReview)[0],
        ),
    ],
    [
      /^GET \/pulls\/(\d+)\/comments$/,
      ({ repository, key, query }) => listedOnLines(github, repository, Number(key), query),
    ],
    [
      /^GET \/pulls\/(\d+\/reviews\/\d+)\/comments$/,
      ({ repository, key, query }) => listedOfReview(github, repository, key, query),
    ],
    [/^GET \/pulls$/, ({ repository, query }) => listPulls(github.pulls, repository, query)],
    [/^POST \/pulls$/, ({ repository, body }) => createPull(github, { repository, body, user: appUser() })],
    [/^GET \/issues\/comments\/(\d+)$/, (call) => found(shown(commentWith(call, false)))],
    [/^GET \/pulls\/comments\/(\d+)$/, (call) => found(shown(commentWith(call, true)))],
    [/^GET \/issues\/(\d+)\/comments$/, ({ repository, key, query }) => listed(github, repository, Number(key), query)],
    [
      /^POST \/issues\/(\d+)\/comments$/,
      ({ repository, key, body }) => {
        const said = String(body.body);
        if (Array.from(said).length > longestComment || said.trim() === "") {
          return { status: 422, body: { message: "Validation Failed", documentation_url } };
        }
        const id = github.say({ repository, number: Number(key), body: said, user: appUser() });
        return { status: 201, body: shown(github.comments.find((one) => one.id === id))! };
      },
    ],
    [/^POST \/issues\/comments\/(\d+)\/reactions$/, (call) => react(call, false)],
    [/^POST \/pulls\/comments\/(\d+)\/reactions$/, (call) => react(call, true)],
    [
      /^GET \/collaborators\/([^/]+)\/permission$/,
      ({ key }) => ({ status: 200, body: { permission: github.permissions.get(key) ?? "none" } }),
    ],
  ];

  const github: GitHubServer = {
    url: `http://${address}:${(server.address() as AddressInfo).port}`,
    app: { id: 77, slug: "helper", privateKey, publicKey },
    installation: {
      id: 4_711,
      permissions: { issues: "write", pull_requests: "write", metadata: "read" },
      events: ["issue_comment", "pull_request_review_comment"],
      suspended_at: null,
    },
    issues: [],
    comments: [],
    pulls: [],
    reviews: [],
    branches: new Set(),
    deliveries: [],
    redeliver: undefined,
    permissions: new Map([["ann", "write"]]),
    calls: [],
    answered: [],
    tokens: [],
    refused: [],
    fault: undefined,
    after: undefined,
    dead: new Set(),
    leaked: [],
    say(comment) {
      ids += 1;
      github.comments.push({ ...comment, id: ids, createdMs: Date.now(), reactions: [] });
      return ids;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  return github;
}

function isOfApp(path: string): boolean {
  return path.startsWith("/app/");
}

function send(
  response: ServerResponse,
  { status, body, headers: own }: GitHubAnswer,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { "content-type": "application/json; charset=utf-8", ...own, ...headers });
  response.end(written(body));
}

/** Digits in place of a number are a number. */
function written(body: object): string {
  return JSON.stringify(body).replaceAll(/"id":"(\d+)"/g, '"id":$1');
}
