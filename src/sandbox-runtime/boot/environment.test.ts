import { expect, it } from "vitest";
import type { Bundle } from "../../api/runtime/bundle.ts";
import { workEnvironment } from "./environment.ts";

const repository = (url: string): Bundle["repositories"][number] => ({ name: "n", url, branch: "main" });

const environmentOf = (change: Partial<Bundle>): Record<string, string> =>
  workEnvironment(
    {
      version: 1,
      session: { namespace: "t", name: "s", uid: "u", attempt: 2 },
      repositories: [],
      environment: {},
      agent: { command: ["a"], protocol: "exec" },
      ...change,
    },
    "wss://gateway:8443",
  );

it("has the platform's values without a repository", () => {
  expect(environmentOf({})).toEqual({
    PYTHONUNBUFFERED: "1",
    SANDBOX_ID: "u-2",
    CONTROL_PLANE_URL: "wss://gateway:8443",
    GIT_TERMINAL_PROMPT: "0",
    SESSION_CONFIG: '{"session_id":"u","repo_owner":null,"repo_name":null}',
  });
});

it.each([
  { url: "https://h/team/app.git", owner: "team", name: "app" },
  { url: "https://h/group/sub/app", owner: "group/sub", name: "app" },
  { url: "https://h/Shop%20A/_git/caf%C3%A9", owner: "Shop A/_git", name: "café" },
  { url: "git@h:group/sub/app.git", owner: "group/sub", name: "app" },
  { url: "https://h/app.git/", owner: undefined, name: "app" },
])("names owner and repository of $url", ({ url, owner, name }) => {
  const environment = environmentOf({ repositories: [repository(url)] });
  expect(environment.REPO_OWNER).toBe(owner);
  expect(environment.REPO_NAME).toBe(name);
});

it("lists repositories only where there are several", () => {
  const config = (count: number): { repositories?: unknown[] } =>
    JSON.parse(
      environmentOf({ repositories: Array.from({ length: count }, () => repository("https://h/t/a")) }).SESSION_CONFIG!,
    ) as object;
  expect(config(1).repositories).toBeUndefined();
  expect(config(2).repositories).toHaveLength(2);
});

it.each([
  { name: "PATHS", kept: true },
  { name: "MY_PATH", kept: true },
  { name: "PATH", kept: false },
  { name: "path", kept: false },
  { name: "Sandbox_Auth_Token", kept: false },
  { name: "SCM_APP_TOKEN", kept: false },
  { name: "RUNWRIGHT_BOOT_MODE", kept: false },
  { name: "MY_RUNWRIGHT_MODE", kept: true },
  { name: "REPO_IMAGE_SHA", kept: false },
  { name: "expected_tunnel_ports", kept: false },
  { name: "TUNNEL_3000", kept: false },
  { name: "Tunnel_8080", kept: false },
  { name: "TUNNEL_TOKEN", kept: true },
  { name: "TUNNEL_3000_TOKEN", kept: true },
])("keeps a secret $name: $kept", ({ name, kept }) => {
  expect(environmentOf({ environment: { [name]: "mine" } })[name]).toBe(kept ? "mine" : undefined);
});

it("lets no secret replace a value of the platform", () => {
  expect(environmentOf({ environment: { SANDBOX_ID: "mine", session_config: "mine" } }).SANDBOX_ID).toBe("u-2");
});

it("has secrets whose names every object has by itself", () => {
  const environment = JSON.parse('{"__proto__":"one","constructor":"two"}') as Record<string, string>;
  expect(Object.entries(environmentOf({ environment }))).toEqual(expect.arrayContaining(Object.entries(environment)));
});

it("names the Run's trace, whatever a secret says, and no trace without one", () => {
  const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  expect(environmentOf({ traceparent, environment: { TRACEPARENT: "mine" } }).TRACEPARENT).toBe(traceparent);
  expect(environmentOf({})).not.toHaveProperty("TRACEPARENT");
});
