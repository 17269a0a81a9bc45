import { expect, it } from "vitest";
import { gatewayPath } from "./api-route.ts";

it.each([
  ["GET", "/api/automations?limit=5", "/automations?limit=5"],
  ["HEAD", "/api/automations", "/automations"],
  ["GET", "/api/automations/demo.triage", "/automations/demo.triage"],
  ["POST", "/api/automations/demo.triage/pause", "/automations/demo.triage/pause"],
  ["GET", "/api/sessions/demo.fix/prompts/fix-1", "/sessions/demo.fix/prompts/fix-1"],
  ["POST", "/api/automations", undefined],
  ["GET", "/api/automations/demo.triage/pause", undefined],
  ["GET", "/api/openapi.json", undefined],
  ["GET", "/api/sessions/demo.fix/tunnels/3000/", undefined],
  ["GET", "/api/sessions/demo.fix/tunnels/3000", undefined],
  ["GET", "/api/sessions/demo.fix/tunnels/../events", undefined],
  ["GET", "/api/sessions/demo.fix%2ftunnels%2f3000", undefined],
  ["GET", "/api", undefined],
])("%s %s", (method, url, want) => {
  // Also where a browser's own URL would have resolved the dots.
  expect(gatewayPath(method, { pathname: url.split("?")[0]!, search: /\?.*/.exec(url)?.[0] ?? "" })).toBe(want);
});
