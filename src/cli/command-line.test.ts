import { describe, expect, it } from "vitest";

import { CliError } from "./cli-error.ts";
import { parseCommandLine } from "./command-line.ts";

const plain = {
  action: "create",
  automation: { namespace: "demo", name: "alerts" },
  json: false,
  baseUrl: undefined,
  context: undefined,
  kubeconfig: undefined,
  serviceAccount: undefined,
  release: { name: "runwright", namespace: "runwright-system" },
  server: undefined,
  certificateAuthority: undefined,
};

describe("understood", () => {
  it.each([
    ["key create demo/alerts", {}],
    ["key create alerts -n demo", {}],
    ["-n demo key create alerts", {}],
    ["key create demo/alerts -n other", {}],
    ["key regenerate demo/alerts", { action: "regenerate" }],
    ["key curl demo/alerts", { action: "curl" }],
    ["key create demo/alerts -o json", { json: true }],
    ["key create demo/alerts --context c --kubeconfig /f", { context: "c", kubeconfig: "/f" }],
    ["key create demo/alerts --base-url https://hooks.example.com/", { baseUrl: "https://hooks.example.com" }],
    ["key create demo/alerts --service-account me", { serviceAccount: { namespace: "demo", name: "me" } }],
    ["key create demo/alerts --service-account ops/me", { serviceAccount: { namespace: "ops", name: "me" } }],
    ["key create demo/alerts --release r --release-namespace n", { release: { name: "r", namespace: "n" } }],
    ["key create demo/alerts --server https://g:8444", { server: "https://g:8444" }],
  ])("%s", (line, want) => {
    expect(parseCommandLine(line.split(" "))).toEqual({ ...plain, ...want });
  });

  it.each([["--help"], ["-h"], ["key", "create", "--help"]])("%s asks for help", (...args) => {
    expect(parseCommandLine(args)).toBeUndefined();
  });
});

describe("refused, naming what and why", () => {
  it.each([
    ["", "unknown command"],
    ["key", 'unknown command "key"'],
    ["key delete demo/alerts", 'unknown command "key delete"'],
    ["keys create demo/alerts", 'unknown command "keys create"'],
    ["key create", "key create needs the Automation as NAMESPACE/NAME"],
    ["key create alerts", '"alerts" has no namespace'],
    ["key create demo/alerts more", 'unexpected argument "more"'],
    ["key create demo/alerts/x", '"demo/alerts/x" is not NAMESPACE/NAME'],
    ["key create demo/", '"demo/" is not NAMESPACE/NAME'],
    ["key create Demo/alerts", "at most 63 characters"],
    ["key create demo/alerts -o yaml", '--output is "yaml", but it can only be json'],
    ["key create demo/alerts --base-url hooks", '--base-url is "hooks"'],
    ["key create demo/alerts --base-url ftp://h", "http:// or https://"],
    ["key create demo/alerts --server http://g", '--server is "http://g"'],
    ["key create demo/alerts --service-account a/b/c", 'ServiceAccount "a/b/c"'],
    ["key create demo/alerts --colour", "--colour"],
    ["key create demo/alerts --context", "--context"],
  ])("%s", (line, problem) => {
    const parse = (): unknown => parseCommandLine(line.split(" ").filter((word) => word !== ""));
    expect(parse).toThrow(CliError);
    expect(parse).toThrow(problem);
    expect(parse).toThrow(expect.objectContaining({ exitStatus: 2 }));
  });
});
