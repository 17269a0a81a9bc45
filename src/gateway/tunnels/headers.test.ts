import { describe, expect, it } from "vitest";
import { confineCookie, confineLocation, headersForCaller, headersForSandbox } from "./headers.ts";

const prefix = "/sessions/team.demo/tunnels/3000";
const at = { port: 3000, prefix, host: "gateway.example.com:8444", rest: "/a/b?c=1" };

it("passes a request on without what is ours, one hop's or a forger's", () => {
  const raw = [
    ...[
      "Accept",
      "text/html",
      "Cookie",
      "a=1",
      "X-Twice",
      "1",
      "X-Twice",
      "2",
      "If-None-Match",
      "e",
      "HX-Request",
      "1",
    ],
    ...["X-Forwarded-Access-Token", "planted", "X-Auth-Request-Email", "ada@example.com", "Remote-User", "ada"],
    ...["Authorization", "Bearer planted", "Host", "gateway.example.com", "Connection", "keep-alive, X-Hop"],
    ...["X-Hop", "1", "Keep-Alive", "5", "Transfer-Encoding", "chunked", "Upgrade", "h2c", "TE", "trailers"],
    ...["Proxy-Authorization", "planted", "X-Forwarded-For", "1.2.3.4", "Runwright-Forwarded", "1"],
  ];
  expect(headersForSandbox(raw, at, ["x-twice"])).toEqual([
    ...[
      "Accept",
      "text/html",
      "Cookie",
      "a=1",
      "X-Twice",
      "1",
      "X-Twice",
      "2",
      "If-None-Match",
      "e",
      "HX-Request",
      "1",
    ],
    ...["host", "localhost:3000", "x-forwarded-host", "gateway.example.com:8444"],
    ...["x-forwarded-proto", "https", "x-forwarded-prefix", prefix],
  ]);
});

it("passes an answer on without what would bind the gateway's origin", () => {
  const raw = [
    ...["Content-Type", "text/html", "Set-Cookie", "a=1; Path=/", "set-cookie", "b=2", "Location", "/x"],
    ...["Strict-Transport-Security", "max-age=1", "Clear-Site-Data", '"*"', "Alt-Svc", "h3", "NEL", "{}"],
    ...["Service-Worker-Allowed", "/", "Report-To", "{}", "Connection", "close", "Transfer-Encoding", "chunked"],
  ];
  expect(headersForCaller(raw, at)).toEqual([
    ...["Content-Type", "text/html", "Set-Cookie", `a=1; Path=${prefix}/`, "set-cookie", `b=2; Path=${prefix}/`],
    ...["Location", `${prefix}/x`],
  ]);
});

it.each([
  ["id=1", `id=1; Path=${prefix}/`],
  ["id=1; Path=/app; HttpOnly; Secure", `id=1; HttpOnly; Secure; Path=${prefix}/app`],
  ["id=1; path = /; DOMAIN=example.com; SameSite=Lax", `id=1; SameSite=Lax; Path=${prefix}/`],
  ["id=1; Path=/; Path=/sessions", `id=1; Path=${prefix}/`],
  ["__Host-id=1; Path=/; Secure", `id=1; Secure; Path=${prefix}/`],
])("confines the cookie %s", (cookie, want) => {
  expect(confineCookie(cookie, prefix)).toBe(want);
});

describe("a redirect", () => {
  it.each([
    ["/login", `${prefix}/login`],
    ["next", `${prefix}/a/next`],
    ["../../../../automations/x", `${prefix}/automations/x`],
    ["/%2e%2e/%2E%2E/automations", `${prefix}/automations`],
    ["//gateway.example.com/automations", `${prefix}/automations`],
    ["https://GATEWAY.example.com:1/automations?x#y", `${prefix}/automations?x#y`],
    ["https:/automations", `https://automations/`],
    ["h\tttps://gateway.example.com/automations", `${prefix}/automations`],
    ["\\\\gateway.example.com\\automations", `${prefix}/automations`],
    ["http://localhost:3000/x", `${prefix}/x`],
    ["http://127.0.0.1:9999/x", `${prefix}/x`],
    ["https://elsewhere.example.com/x", "https://elsewhere.example.com/x"],
    ["javascript:alert(1)", `${prefix}/`],
    ["http://[", `${prefix}/`],
  ])("to %s", (location, want) => {
    expect(confineLocation(location, at)).toBe(want);
  });
});
