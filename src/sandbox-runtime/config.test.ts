import { expect, it } from "vitest";
import { baseEnvironment, readRuntimeConfig } from "./config.ts";

const good = { RUNWRIGHT_GATEWAY_URL: "wss://g:8443/", RUNWRIGHT_SESSION_UID: "u", RUNWRIGHT_ATTEMPT: "3" };

it("reads what the pod says", () => {
  expect(readRuntimeConfig(good)).toEqual({
    gatewayUrl: "wss://g:8443",
    of: { sessionUid: "u", attempt: 3 },
    skillsDirectory: "/run/runwright/skills",
    tokenFile: "/run/runwright/token/token",
    caFile: "/run/runwright/gateway/ca.crt",
  });
});

it("waits as a pod that names itself, whatever attempt it also names", () => {
  const waiting = { RUNWRIGHT_POD_UID: "p", RUNWRIGHT_SESSION_UID: undefined, RUNWRIGHT_ATTEMPT: undefined };
  expect(readRuntimeConfig({ ...good, ...waiting })).toHaveProperty("of", { podUid: "p" });
  expect(readRuntimeConfig({ ...good, RUNWRIGHT_POD_UID: "p" })).toHaveProperty("of", { podUid: "p" });
});

it.each([
  { change: { RUNWRIGHT_GATEWAY_URL: undefined }, want: "RUNWRIGHT_GATEWAY_URL must be set" },
  { change: { RUNWRIGHT_GATEWAY_URL: "ws://g" }, want: "RUNWRIGHT_GATEWAY_URL must be a wss:// URL" },
  { change: { RUNWRIGHT_SESSION_UID: "" }, want: "RUNWRIGHT_SESSION_UID must be set" },
  { change: { RUNWRIGHT_ATTEMPT: "0" }, want: "RUNWRIGHT_ATTEMPT must be a whole number of at least 1" },
  { change: { RUNWRIGHT_ATTEMPT: "x" }, want: "RUNWRIGHT_ATTEMPT must be a whole number of at least 1" },
])("refuses $change", ({ change, want }) => {
  expect(() => readRuntimeConfig({ ...good, ...change })).toThrow(want);
});

it("gives hooks the image's environment without Kubernetes' addresses", () => {
  expect(baseEnvironment({ JAVA_HOME: "/j", KUBERNETES_SERVICE_HOST: "10.0.0.1", HOME: "/mine" })).toEqual({
    JAVA_HOME: "/j",
    HOME: "/mine",
    USER: "agent",
    SHELL: "/bin/bash",
    TERM: "dumb",
    LANG: "C.UTF-8",
  });
});
