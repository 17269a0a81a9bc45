import { z } from "zod";
import { ChildRequest } from "../../api/runtime/children.ts";
import { protocolLimits } from "../../api/runtime/limits.ts";
import { PullRequestText } from "../../api/runtime/messages.ts";
import { TextMap } from "../../api/runtime/text-map.ts";

/**
 * The messages between the two containers over the unix socket, one JSON document a line. Each connection begins with an
 * {@link OpeningMessage}. The first `agent` connection keeps that role for the life of the pod: it connects before any
 * hook or agent runs, so no process that these start can take its place. Messages from the agent's container are
 * untrusted, so bounded and checked.
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
  /** Bytes of one piece of a file; a multiple of 3, so that base64 needs no padding. */
  filePieceBytes: 393_216,
} as const;

const Path = z.string().min(1).max(4096);

export const OpeningMessage = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("agent"),
    workspace: Path,
    home: Path,
    /** Command line of the sandbox image's program in the agent's container. */
    program: z.array(z.string().max(4096)).min(1).max(8).readonly(),
    /** Shell command of git's credential helper in the agent's container. */
    credentialHelper: z.string().max(8192),
    /** Bundle of the image's own certificate authorities, PEM; empty when it has none. */
    systemCaFile: z.string().max(4096),
  }),
  /** The connection for the transfer of a workspace; raw bytes follow. */
  z.object({ type: z.literal("transfer"), transfer: z.string().max(64) }),
  /** git asks for a credential; answered with {@link CredentialAnswer}. */
  z.object({
    type: z.literal("credential"),
    protocol: z.string().max(64),
    host: z.string().max(1024),
    path: z.string().max(4096),
  }),
  /** A request of the tools for child sessions; answered with a {@link ChildAnswer}. */
  z.object({ type: z.literal("child"), request: ChildRequest }),
  /** The tool for a pull request of the branch that the prompt pushes; answered in the same form. */
  PullRequestText.extend({ type: z.literal("pullRequest") }),
  /** Asks which tools there are; answered in the same form, with {@link OfferedTools} as the body. */
  z.object({ type: z.literal("tools") }),
  /**
   * The tool that attaches a file to the answer; answered in the same form. Before that comes an answer with the status 100
   * where the content is wanted; {@link FilePiece}s follow until all `bytes` are sent.
   */
  z.object({
    type: z.literal("media"),
    fileName: z.string().max(protocolLimits.fileNameCharacters),
    bytes: z.int().min(0),
  }),
]);
export type OpeningMessage = z.infer<typeof OpeningMessage>;
export type AgentIntroduction = Extract<OpeningMessage, { type: "agent" }>;
export type ToolRequest = Extract<OpeningMessage, { type: "child" | "pullRequest" }>;
export type CredentialRequest = Extract<OpeningMessage, { type: "credential" }>;

export const OfferedTools = z.object({ media: z.boolean() });
export type OfferedTools = z.infer<typeof OfferedTools>;

/** A piece of a file in base64. */
export const FilePiece = z.object({ piece: z.base64().max((4 / 3) * localLimits.filePieceBytes) });

/** Empty when the URL has no credential; `problem` explains why it cannot be fetched now. */
export const CredentialAnswer = z.object({
  username: z.string().optional(),
  password: z.string().optional(),
  problem: z.string().optional(),
});
export type CredentialAnswer = z.infer<typeof CredentialAnswer>;

export const ToAgent = z.discriminatedUnion("type", [
  /** Writes a file with its parent folders. `prefixFile`: a file whose content comes before `text`. */
  z.object({ type: z.literal("write"), path: Path, text: z.string(), prefixFile: z.string().optional() }),
  /**
   * A piece of a file, which the first one begins anew with its parent folders. The last one is answered by `exited`, with the
   * status 0 where the whole file was written.
   */
  FilePiece.extend({
    type: z.literal("piece"),
    id: z.int(),
    path: Path,
    isFirst: z.boolean(),
    isLast: z.boolean(),
  }),
  /** Starts a command in its own process group; answered by `exited`. */
  z.object({
    type: z.literal("run"),
    id: z.int(),
    command: z.array(z.string()).min(1),
    cwd: Path,
    /** Added to the container's environment. */
    env: TextMap,
    /** Standard input; empty when left out. */
    input: z.string().optional(),
    /** Whether standard input stays open for `input` messages. */
    keepsInput: z.boolean().optional(),
    /** Whether background processes of a successful command stay; otherwise its process group ends with it. */
    keepsChildren: z.boolean(),
  }),
  /** More standard input of a command with `keepsInput`. */
  z.object({ type: z.literal("input"), id: z.int(), text: z.string().max(localLimits.inputUnits) }),
  /** Ends the command's process group: SIGTERM, and SIGKILL after 5 s. */
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
  /** `error`: why it could not be started, such as `ENOENT`. */
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
