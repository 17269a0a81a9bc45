import { z } from "zod";
import { imageLimits, PromptImage } from "../v1alpha1/prompt-image.ts";
import { BootFailure, Bundle } from "./bundle.ts";
import { protocolLimits } from "./limits.ts";
import { streamPattern } from "./pod-contract.ts";
import { RefusedFromAgent } from "./refused-from-agent.ts";

/**
 * The messages between a sandbox's runtime and the gateway: JSON text frames over one WebSocket. docs/runtime-protocol.md
 * tells the story; here is the grammar. Nothing in these schemas has an effect on its own: bounds are checked here, what
 * is made of a message is the reader's business.
 */

/** Changed when an old peer could misread a new one; the path of the WebSocket holds it too. */
export const protocolVersion = 1;

const Uid = z.string().min(1).max(64);
const Tokens = z.int().min(0).max(Number.MAX_SAFE_INTEGER);
const Sequence = z.int().min(1).max(Number.MAX_SAFE_INTEGER);

/** Names a Prompt in the session's namespace. */
export const PromptReference = z.object({ name: z.string().min(1).max(253), uid: Uid });
export type PromptReference = z.infer<typeof PromptReference>;

/** How a prompt ended, as the runtime saw it. Text is untrusted and bounded here in UTF-16 units, later in code points. */
export const PromptOutcome = z.object({
  prompt: PromptReference,
  /** `cancelled` confirms a {@link GatewayMessage} `cancel`. */
  verdict: z.enum(["succeeded", "failed", "cancelled"]),
  /** Why it failed, for people. */
  message: z
    .string()
    .max(2 * protocolLimits.messageCharacters)
    .optional(),
  summary: z
    .string()
    .max(2 * protocolLimits.summaryCharacters)
    .optional(),
  branch: z.string().max(1_024).optional(),
  commit: z.string().max(128).optional(),
  /** What this prompt used, as far as the agent said. */
  usage: z
    .object({ inputTokens: Tokens.optional(), outputTokens: Tokens.optional(), costUsd: z.number().min(0).optional() })
    .optional(),
});
export type PromptOutcome = z.infer<typeof PromptOutcome>;

/** What happened in the sandbox, for the session's event stream. */
export const SandboxEvent = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("output"),
    /** Which boot step or prompt spoke. */
    source: z.enum(["clone", "setup", "start", "agent"]),
    repository: z.string().max(63).optional(),
    promptUid: Uid.optional(),
    stream: z.enum(["stdout", "stderr"]),
    text: z.string().max(2 * protocolLimits.outputCharacters),
  }),
  z.object({
    kind: z.literal("warning"),
    scope: z.enum(["setup", "start", "output", "restore"]),
    repository: z.string().max(63).optional(),
    message: z.string().max(2 * protocolLimits.messageCharacters),
  }),
  z.object({
    kind: z.literal("bootProgress"),
    phase: z.enum(["restore", "clone", "setup", "start", "agent"]),
    repository: z.string().max(63).optional(),
  }),
  z.object({ kind: z.literal("promptStarted"), promptUid: Uid }),
  /** An agent uses a tool, or the use has come further. */
  z.object({
    kind: z.literal("tool"),
    promptUid: Uid,
    /** Tells uses of one prompt apart. */
    tool: z.string().max(256),
    title: z.string().max(2 * protocolLimits.messageCharacters),
    /** As the agent calls it, such as `pending`, `in_progress`, `completed` or `failed`; may be empty. */
    state: z.string().max(128),
  }),
]);
export type SandboxEvent = z.infer<typeof SandboxEvent>;

/** Numbered: kept and sent again on each connection until acknowledged. */
export const NumberedMessage = z.discriminatedUnion("type", [
  z.object({ type: z.literal("ready"), seq: Sequence }),
  z.object({ type: z.literal("bootFailed"), seq: Sequence, failure: BootFailure }),
  z.object({ type: z.literal("promptFinished"), seq: Sequence, outcome: PromptOutcome }),
  z.object({ type: z.literal("event"), seq: Sequence, event: SandboxEvent }),
]);
export type NumberedMessage = z.infer<typeof NumberedMessage>;

export const RuntimeMessage = z.union([
  /** First on each connection. */
  z.object({
    type: z.literal("hello"),
    protocol: z.literal(protocolVersion),
    /** Whether the runtime still needs the bundle. */
    needsBundle: z.boolean(),
    /** Whether boot has ended well, in case the attempt's Lease, which says so, was lost and made anew. */
    isReady: z.boolean().default(false),
    /** Prompts that it has been sent and has not ended. */
    openPrompts: z.array(PromptReference).max(64),
  }),
  /** Each 30 s, from the first connection on, whatever else is sent. `refused`: since the last one. */
  z.object({ type: z.literal("heartbeat"), refused: RefusedFromAgent.optional() }),
  /** Asks for the stream of the workspace that was saved. */
  z.object({ type: z.literal("restore") }),
  NumberedMessage,
]);
export type RuntimeMessage = z.infer<typeof RuntimeMessage>;

export const TunnelUrl = z.object({ port: z.int().min(1).max(65_535), url: z.string().max(2_048) });
export type TunnelUrl = z.infer<typeof TunnelUrl>;

/** What a stream is joined with: a port, or the workspace to be saved or brought back. */
export const StreamUse = z.union([
  z.object({ port: z.int().min(1).max(65_535) }),
  z.object({ workspace: z.enum(["save", "restore"]) }),
]);
export type StreamUse = z.infer<typeof StreamUse>;

export const GatewayMessage = z.discriminatedUnion("type", [
  /** Answers the hello: the connection counts. `acknowledged` is the highest number that needs no repeat, 0 for none. */
  z.object({ type: z.literal("welcome"), protocol: z.literal(protocolVersion), acknowledged: z.int().min(0) }),
  z.object({ type: z.literal("bundle"), bundle: Bundle }),
  /** To be processed after what came before it; one UID is processed once, however often it is sent. */
  z.object({
    type: z.literal("prompt"),
    prompt: PromptReference,
    text: z.string().max(128_000),
    /** To be fetched below {@link imagesPath}, in the agent's order. */
    images: z.array(PromptImage).max(imageLimits.perPrompt).optional(),
  }),
  /** Ends the prompt wherever it is; answered by its `promptFinished`. */
  z.object({ type: z.literal("cancel"), promptUid: Uid }),
  /** Where people reach the session's tunnel ports. */
  z.object({ type: z.literal("tunnels"), urls: z.array(TunnelUrl).max(10) }),
  /** To be dialed at {@link streamPath} for `use`; `address` is the one replica that waits for it. */
  z.object({
    type: z.literal("openStream"),
    stream: z.string().regex(streamPattern),
    use: StreamUse,
    address: z.string().max(300).optional(),
  }),
  /** All numbered messages up to `seq` have been dealt with for good. */
  z.object({ type: z.literal("ack"), seq: Sequence }),
  /** The attempt is over: end everything and exit with 0. */
  z.object({ type: z.literal("shutdown"), reason: z.string().max(64) }),
]);
export type GatewayMessage = z.infer<typeof GatewayMessage>;
