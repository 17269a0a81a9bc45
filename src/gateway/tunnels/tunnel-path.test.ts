import { expect, it } from "vitest";
import { parseTunnelPath } from "./tunnel-path.ts";

it.each([
  ["/sessions/team.demo/tunnels/3000", "3000 /"],
  ["/sessions/team.demo/tunnels/3000/", "3000 /"],
  ["/sessions/team.demo/tunnels/1?x=1", "1 /?x=1"],
  ["/sessions/team.demo/tunnels/65535/a//b/../%2e?c=/d", "65535 /a//b/../%2e?c=/d"],
  ["/sessions/team.demo/tunnels/65536/", undefined],
  ["/sessions/team.demo/tunnels/0/", undefined],
  ["/sessions/team.demo/tunnels/03000/", undefined],
  ["/sessions/team.demo/tunnels/3000x", undefined],
  ["/sessions/demo/tunnels/3000", undefined],
  ["/sessions/team.demo/tunnels/", undefined],
  ["/x/sessions/team.demo/tunnels/3000", undefined],
  ["http://host/sessions/team.demo/tunnels/3000", undefined],
])("reads %s", (url, want) => {
  const found = parseTunnelPath(url);
  expect(found && `${found.port} ${found.rest}`).toBe(want);
});
