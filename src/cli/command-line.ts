import { parseArgs } from "node:util";

import { parseAutomationId, type AutomationId } from "../domain/deliveries/index.ts";
import { CliError } from "./cli-error.ts";

const actions = ["create", "regenerate", "curl"] as const;
export type KeyAction = (typeof actions)[number];

/** What the user asked for. */
export interface CommandLine {
  action: KeyAction;
  automation: AutomationId;
  json: boolean;
  baseUrl: string | undefined;
  context: string | undefined;
  kubeconfig: string | undefined;
  serviceAccount: AutomationId | undefined;
  release: { name: string; namespace: string };
  server: string | undefined;
  certificateAuthority: string | undefined;
}

const options = {
  namespace: { type: "string", short: "n" },
  output: { type: "string", short: "o" },
  "base-url": { type: "string" },
  "service-account": { type: "string" },
  context: { type: "string" },
  kubeconfig: { type: "string" },
  "release-namespace": { type: "string", default: "runwright-system" },
  release: { type: "string", default: "runwright" },
  server: { type: "string" },
  "certificate-authority": { type: "string" },
  help: { type: "boolean", short: "h", default: false },
} as const;

type Flags = ReturnType<typeof parseFlags>["values"];

/** Reads the arguments; undefined when the user asked for help. @throws CliError naming what cannot be understood */
export function parseCommandLine(args: readonly string[]): CommandLine | undefined {
  const { values, positionals } = parseFlags(args);
  if (values.help) return undefined;
  const [group, actionText, target, ...rest] = positionals;
  const action = actions.find((one) => one === actionText);
  if (group !== "key" || !action) throw misuse(`unknown command "${positionals.slice(0, 2).join(" ")}"`);
  if (target === undefined) throw misuse(`key ${action} needs the Automation as NAMESPACE/NAME`);
  if (rest.length > 0) throw misuse(`unexpected argument "${rest.join(" ")}"`);
  const automation = parseTarget(target, values.namespace, "Automation");
  return {
    action,
    automation,
    json: isJson(values.output),
    baseUrl: parseUrl("--base-url", values["base-url"], ["http:", "https:"]),
    context: values.context,
    kubeconfig: values.kubeconfig,
    serviceAccount: parseServiceAccount(values, automation),
    release: { name: values.release, namespace: values["release-namespace"] },
    server: parseUrl("--server", values.server, ["https:"]),
    certificateAuthority: values["certificate-authority"],
  };
}

function parseFlags(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
  } catch (error) {
    throw misuse(error instanceof Error ? error.message : "the flags cannot be read");
  }
}

function parseServiceAccount(values: Flags, automation: AutomationId): AutomationId | undefined {
  const text = values["service-account"];
  return text === undefined ? undefined : parseTarget(text, automation.namespace, "ServiceAccount");
}

/** `NAMESPACE/NAME`, or `NAME` where the namespace is known. */
function parseTarget(text: string, namespace: string | undefined, kind: string): AutomationId {
  const parts = text.split("/");
  const [first = "", second] = parts;
  if (second === undefined && namespace === undefined) {
    throw misuse(`${kind} "${text}" has no namespace; write NAMESPACE/NAME or add -n NAMESPACE`);
  }
  const id = second === undefined ? `${namespace ?? ""}.${first}` : `${first}.${second}`;
  const parsed = parts.length > 2 ? undefined : parseAutomationId(id);
  if (!parsed) throw misuse(`${kind} "${text}" is not NAMESPACE/NAME, two DNS labels of at most 63 characters each`);
  return parsed;
}

function isJson(output: string | undefined): boolean {
  if (output === undefined || output === "json") return output === "json";
  throw misuse(`--output is "${output}", but it can only be json`);
}

function parseUrl(flag: string, text: string | undefined, schemes: readonly string[]): string | undefined {
  if (text === undefined) return undefined;
  if (URL.canParse(text) && schemes.includes(new URL(text).protocol)) return text.replace(/\/+$/, "");
  throw misuse(`${flag} is "${text}", but it must be a URL that starts with ${schemes.join("// or ")}//`);
}

function misuse(problem: string): CliError {
  return new CliError(`${problem}\nSee kubectl runwright --help`, 2);
}
