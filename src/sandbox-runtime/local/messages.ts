import { z } from "zod";
import { ChildRequest } from "../../api/runtime/children.ts";
import { TextMap } from "../../api/runtime/text-map.ts";

/**
 * What runtime and agent container say to each other over the unix socket, one JSON document a line. Whoever connects
 * says first what it is. The first `agent` keeps the role for the life of the pod: it comes before any hook or agent
 * runs, so nothing that these start can take its place. What comes from the agent's container is bounded and checked
 * like everything untrusted.
 */
export const localSocketName = "runtime.sock";

export const localLimits = {
  /** Bytes of one line to the runtime. */
  toRuntimeBytes: 1_048_576,
  /** Bytes of one line to the agent: a prompt or the environment as JSON. */
  toAgentBytes: 4_194_304,
  /** UTF-16 units of one piece of output. */
  outputUnits: 32_768,
  /** UTF-16 units of one piece of input that follows a command. */
  inputUnits: 262_144,
} as const;

const Path = z.string().min(1).max(4096);

export const FirstWord = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("agent"),
    workspace: Path,
    home: Path,
    /** How the sandbox image's program is called in the agent's container. */
    program: z.array(z.string().max(4096)).min(1).max(8).readonly(),
    /** Shell command of git's credential helper in the agent's container. */
    credentialHelper: z.string().max(8192),
    /** Bundle of the image's own certificate authorities, PEM; empty when it has none. */
    systemCaFile: z.string().max(4096),
  }),
  /** The connection that the runtime had opened for a workspace; raw bytes follow. */
  z.object({ type: z.literal("transfer"), transfer: z.string().max(64) }),
  /** git asks for a credential; answered with {@link CredentialAnswer}. */
  z.object({
    type: z.literal("credential"),
    protocol: z.string().max(64),
    host: z.string().max(1024),
    path: z.string().max(4096),
  }),
  /** The agent's tools ask about child sessions; answered with a {@link ChildAnswer}. */
  z.object({ type: z.literal("child"), request: ChildRequest }),
]);
export type FirstWord = z.infer<typeof FirstWord>;
export type AgentIntroduction = Extract<FirstWord, { type: "agent" }>;
export type CredentialRequest = Extract<FirstWord, { type: "credential" }>;

/** Empty when there is none for this URL; `problem` says why there is none for now. */
export const CredentialAnswer = z.object({
  username: z.string().optional(),
  password: z.string().optional(),
  problem: z.string().optional(),
});
export type CredentialAnswer = z.infer<typeof CredentialAnswer>;

export const ToAgent = z.discriminatedUnion("type", [
  /** Replaces a file of the agent's; parent folders are made. `append`: files whose content goes before `text`. */
  z.object({ type: z.literal("write"), path: Path, text: z.string(), prefixFile: z.string().optional() }),
  /** Starts a command in a process group of its own; answered by `exited`. */
  z.object({
    type: z.literal("run"),
    id: z.int(),
    command: z.array(z.string()).min(1),
    cwd: Path,
    /** Over the container's own environment. */
    env: TextMap,
    /** For standard input; without it that is empty. */
    input: z.string().optional(),
    /** Whether standard input stays open for `input` messages after it. */
    keepsInput: z.boolean().optional(),
    /** Whether what a successful command left in the background stays; else its process group ends with it. */
    keepsChildren: z.boolean(),
  }),
  /** More for the standard input of a command that keeps it. */
  z.object({ type: z.literal("input"), id: z.int(), text: z.string().max(localLimits.inputUnits) }),
  /** Ends the command's process group: SIGTERM, and SIGKILL after a while. */
  z.object({ type: z.literal("kill"), id: z.int() }),
  z.object({ type: z.literal("shutdown") }),
]);
export type ToAgent = z.infer<typeof ToAgent>;
export type RunCommand = Extract<ToAgent, { type: "run" }>;

export const FromAgent = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("output"),
    id: z.int(),
    stream: z.enum(["stdout", "stderr"]),
    text: z.string().max(localLimits.outputUnits),
  }),
  /** `error`: it could not be started, such as `ENOENT`. */
  z.object({
    type: z.literal("exited"),
    id: z.int(),
    code: z.int().nullable(),
    signal: z.string().max(32).nullable(),
    error: z.string().max(64).optional(),
  }),
]);
export type FromAgent = z.infer<typeof FromAgent>;
export type Exited = Omit<Extract<FromAgent, { type: "exited" }>, "type" | "id">;
