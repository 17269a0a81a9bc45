import { runtimeVariables, sandboxPaths } from "../api/runtime/pod-contract.ts";
import type { GatewayFiles } from "./gateway/ask-gateway.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** A variable of the pod is missing or malformed. */
export class RuntimeConfigError extends Error {
  override readonly name = "RuntimeConfigError";
}

/** The attempt that the runtime is of. */
export interface Assignment {
  sessionUid: string;
  attempt: number;
}

export interface RuntimeConfig extends Assignment, StartConfig {}

/** What the runtime knows from its start. */
interface StartConfig extends GatewayFiles {
  gatewayUrl: string;
  /** Shared with the agent's container, which only reads it. */
  skillsDirectory: string;
}

/** Variables by which tests replace the paths of the pod contract. */
export const pathVariables = {
  socketDirectory: "RUNWRIGHT_SOCKET_DIRECTORY",
  tokenFile: "RUNWRIGHT_TOKEN_FILE",
  caFile: "RUNWRIGHT_CA_FILE",
  workspace: "RUNWRIGHT_WORKSPACE",
  skillsDirectory: "RUNWRIGHT_SKILLS_DIRECTORY",
} as const;

/** Of a pod that was made for an attempt, or of one that waits in a pool. */
export type RuntimeStart = StartConfig & { of: Assignment | { podUid: string } };

/** @throws RuntimeConfigError */
export function readRuntimeConfig(environment: Environment): RuntimeStart {
  const gatewayUrl = required(environment, runtimeVariables.gatewayUrl);
  if (!URL.canParse(gatewayUrl) || new URL(gatewayUrl).protocol !== "wss:") {
    throw new RuntimeConfigError(`${runtimeVariables.gatewayUrl} must be a wss:// URL`);
  }
  return {
    gatewayUrl: gatewayUrl.replace(/\/+$/, ""),
    of: assignmentIn(environment),
    skillsDirectory: skillsDirectoryOf(environment),
    tokenFile: environment[pathVariables.tokenFile] ?? sandboxPaths.tokenFile,
    caFile: environment[pathVariables.caFile] ?? sandboxPaths.gatewayCaFile,
  };
}

function assignmentIn(environment: Environment): RuntimeStart["of"] {
  const podUid = environment[runtimeVariables.podUid] ?? "";
  if (podUid !== "") return { podUid };
  const attempt = Number(required(environment, runtimeVariables.attempt));
  if (!Number.isInteger(attempt) || attempt < 1) {
    throw new RuntimeConfigError(`${runtimeVariables.attempt} must be a whole number of at least 1`);
  }
  return { sessionUid: required(environment, runtimeVariables.sessionUid), attempt };
}

export function socketDirectoryOf(environment: Environment): string {
  return environment[pathVariables.socketDirectory] ?? sandboxPaths.socketDirectory;
}

export function skillsDirectoryOf(environment: Environment): string {
  return environment[pathVariables.skillsDirectory] ?? sandboxPaths.skills;
}

export function workspaceOf(environment: Environment): string {
  return environment[pathVariables.workspace] ?? sandboxPaths.workspace;
}

/** The container's variables for hooks and agent: without those of Kubernetes, and with defaults. */
export function baseEnvironment(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const entries = Object.entries(environment).filter(([name]) => !name.startsWith("KUBERNETES_"));
  return {
    HOME: sandboxPaths.home,
    USER: "agent",
    SHELL: "/bin/bash",
    TERM: "dumb",
    LANG: "C.UTF-8",
    ...Object.fromEntries(entries),
  };
}

function required(environment: Environment, variable: string): string {
  const value = environment[variable];
  if (value === undefined || value === "") throw new RuntimeConfigError(`${variable} must be set`);
  return value;
}
