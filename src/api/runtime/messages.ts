import { z } from "zod";
import { mostPushes } from "../v1alpha1/outcome.ts";
import { imageLimits, PromptImage } from "../v1alpha1/prompt-image.ts";
import { mediaLimits, PromptMedia } from "../v1alpha1/prompt-media.ts";
import { BuildNote, RepositoryCommits } from "./build.ts";
import { BootFailure, Bundle, PassedOver } from "./bundle.ts";
import { protocolLimits } from "./limits.ts";
import { streamPattern } from "./pod-contract.ts";
import { mostRefused, RefusedFromAgent } from "./refused-from-agent.ts";

/**
 * The messages between a sandbox's runtime and the gateway: JSON text frames over one WebSocket. These schemas define the
 * form and the limits; docs/internals/runtime-protocol.md describes the exchange.
 */

/** Changes when an old peer could misread a message; it is part of the WebSocket's path too. */
export const protocolVersion = 1;

const Uid = z.string().min(1).max(64);
const Tokens = z.int().min(0).max(Number.MAX_SAFE_INTEGER);
/** US dollars. */
const Cost = z.number().min(0).max(protocolLimits.costUsd);
export const Sequence = z.int().min(1).max(Number.MAX_SAFE_INTEGER);

/** Names a Prompt in the session's namespace. */
export const PromptReference = z.object({ name: z.string().min(1).max(253), uid: Uid });
export type PromptReference = z.infer<typeof PromptReference>;

/** What an agent wants the pull request of its branch to say. Text is untrusted, and bounded in UTF-16 units here. */
export const PullRequestText = z.object({
  title: z
    .string()
    .min(1)
    .max(2 * protocolLimits.pullRequestTitleCharacters),
  /** May be empty. */
  body: z.string().max(2 * protocolLimits.pullRequestBodyCharacters),
});
export type PullRequestText = z.infer<typeof PullRequestText>;

/** What an agent attached to its answer, and the gateway has stored. Names are untrusted, and bounded in UTF-16 units here. */
const ReportedMedia = z.object({
  files: z
    .array(
      PromptMedia.shape.files.element.extend({
        fileName: z.string().max(protocolLimits.fileNameCharacters),
      }),
    )
    .max(mediaLimits.perPrompt),
  leftOut: PromptMedia.shape.leftOut,
});

/** How a prompt ended. Text is untrusted; it is bounded in UTF-16 units here and in code points later. */
export const PromptOutcome = z.object({
  prompt: PromptReference,
  /** `cancelled` answers the gateway's `cancel`. */
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
  /** What git pushed from the checkouts. Gateways of earlier versions do not know it. */
  pushes: z
    .array(z.object({ repository: z.string().max(63), branch: z.string().max(1_024), commit: z.string().max(128) }))
    .max(mostPushes)
    .optional(),
  /** The agent asked for a pull request of the branch. */
  pullRequest: PullRequestText.optional(),
  /** Left out where the agent attached nothing. Sent only to gateways whose welcome accepts `media`. */
  media: ReportedMedia.optional(),
  /** Tokens and cost, as far as the agent reported them. */
  usage: z
    .object({
      inputTokens: Tokens.optional(),
      outputTokens: Tokens.optional(),
      costUsd: z.number().min(0).optional(),
      /** What all prompts of the sandbox have cost when this one ended; left out by runtimes that do not meter it. */
      sandboxCostUsd: Cost.optional(),
    })
    .optional(),
});
export type PromptOutcome = z.infer<typeof PromptOutcome>;

/** An event in the sandbox, for the session's event stream. */
export const SandboxEvent = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("output"),
    /** The boot step, or the agent at a prompt. */
    source: z.enum(["clone", "setup", "start", "agent"]),
    repository: z.string().max(63).optional(),
    promptUid: Uid.optional(),
    stream: z.enum(["stdout", "stderr"]),
    text: z.string().max(2 * protocolLimits.outputCharacters),
  }),
  z.object({
    kind: z.literal("warning"),
    scope: z.enum(["setup", "start", "output", "restore", "save"]),
    repository: z.string().max(63).optional(),
    message: z.string().max(2 * protocolLimits.messageCharacters),
  }),
  z.object({
    kind: z.literal("bootProgress"),
    phase: z.enum(["restore", "clone", "setup", "start", "agent"]),
    repository: z.string().max(63).optional(),
    commits: RepositoryCommits.optional().describe(
      "Of a build of a prebuilt image: the commits of the branches, as far as they were found.",
    ),
  }),
  z.object({ kind: z.literal("promptStarted"), promptUid: Uid }),
  /** A tool call of the agent, or a change of its state. */
  z.object({
    kind: z.literal("tool"),
    promptUid: Uid,
    /** Id of the tool call within the prompt. */
    tool: z.string().max(256),
    title: z.string().max(2 * protocolLimits.messageCharacters),
    /** The agent's own word, such as `pending`, `in_progress`, `completed` or `failed`; may be empty. */
    state: z.string().max(128),
  }),
]);
export type SandboxEvent = z.infer<typeof SandboxEvent>;

/** Messages that the runtime repeats on each connection until the gateway acknowledges them. */
export const NumberedMessage = z.discriminatedUnion("type", [
  /** `notUpdated`: names of Repositories of a prebuilt image that stayed at its commit. Gateways of earlier versions know no `passedOver`. */
  z.object({
    type: z.literal("ready"),
    seq: Sequence,
    notUpdated: z.array(z.string().max(63)).max(10).optional(),
    passedOver: PassedOver.optional(),
  }),
  /** A build has ended, and is to be saved unless nothing has changed. Gateways of earlier versions start no builds. */
  z.object({ type: z.literal("built"), seq: Sequence, note: BuildNote }),
  z.object({ type: z.literal("bootFailed"), seq: Sequence, failure: BootFailure }),
  z.object({ type: z.literal("promptFinished"), seq: Sequence, outcome: PromptOutcome }),
  z.object({ type: z.literal("event"), seq: Sequence, event: SandboxEvent }),
]);
export type NumberedMessage = z.infer<typeof NumberedMessage>;

export const RuntimeMessage = z.discriminatedUnion("type", [
  /** The first message of each connection. */
  z.object({
    type: z.literal("hello"),
    protocol: z.literal(protocolVersion),
    /** Whether the runtime still needs the bundle. */
    needsBundle: z.boolean(),
    /** Whether boot has succeeded; restores this fact when the attempt's Lease was lost and created again. */
    isReady: z.boolean().default(false),
    /** Unfinished prompts that the runtime has received. */
    openPrompts: z.array(PromptReference).max(64),
    /** Number of the connection, counted from 1 by the runtime: of two, the later one counts. 0: a runtime that does not count. */
    connection: z.int().min(0).max(Number.MAX_SAFE_INTEGER).default(0),
    /** For how many milliseconds the runtime has been running. Runtimes of earlier versions do not say. */
    runningMs: z.int().min(0).max(Number.MAX_SAFE_INTEGER).optional(),
    /** UTF-16 units of the longest prompt that it takes. */
    promptCharacters: z.int().min(1).max(Number.MAX_SAFE_INTEGER).default(protocolLimits.earlierPromptCharacters),
  }),
  /** Every 30 s on each connection. `refused`: refusals since the last heartbeat; `ignored`: messages that it did not know; `ignoredFields`: messages with fields that it did not know. */
  z.object({
    type: z.literal("heartbeat"),
    refused: RefusedFromAgent.optional(),
    ignored: z.int().min(1).max(mostRefused).optional(),
    ignoredFields: z.int().min(1).max(mostRefused).optional(),
  }),
  /** Asks for a stream with the saved workspace; `refused`: the last one was none that a save could have written. */
  z.object({ type: z.literal("restore"), refused: z.literal(true).optional() }),
  /**
   * What all prompts of the sandbox have cost so far, as far as the agent reported it; of all reports the highest counts.
   * Sent only to gateways whose welcome accepts `usage`: others close the connection on it.
   */
  z.object({ type: z.literal("usage"), costUsd: Cost }),
  NumberedMessage,
]);
export type RuntimeMessage = z.infer<typeof RuntimeMessage>;

export const TunnelUrl = z.object({ port: z.int().min(1).max(65_535), url: z.string().max(2_048) });
export type TunnelUrl = z.infer<typeof TunnelUrl>;

/** What the runtime joins a stream with: a port, or the workspace, to save or restore it. */
export const StreamUse = z.union([
  z.object({ port: z.int().min(1).max(65_535) }),
  z.object({ workspace: z.enum(["save", "restore"]) }),
]);
export type StreamUse = z.infer<typeof StreamUse>;

export const GatewayMessage = z.discriminatedUnion("type", [
  /**
   * Answers the hello. `acknowledged` is the highest number that needs no repeat, 0 for none. `accepts` names the types of
   * messages that gateways of earlier versions do not know.
   */
  z.object({
    type: z.literal("welcome"),
    protocol: z.literal(protocolVersion),
    acknowledged: z.int().min(0),
    accepts: z.array(z.string()).default([]),
  }),
  /** The only message to a runtime that waits in a pool: whose attempt its pod has become. It then connects as that attempt. */
  z.object({ type: z.literal("assigned"), sessionUid: Uid, attempt: z.int().min(1).max(1_000_000) }),
  z.object({ type: z.literal("bundle"), bundle: Bundle }),
  /** Prompts are processed in order; each UID is processed once, even if it is sent again. */
  z.object({
    type: z.literal("prompt"),
    prompt: PromptReference,
    text: z.string().max(protocolLimits.promptCharacters),
    /** In the order for the agent; the runtime fetches them below {@link imagesPath}. */
    images: z.array(PromptImage).max(imageLimits.perPrompt).optional(),
  }),
  /** Ends the prompt, whether it waits or runs; answered by its `promptFinished`. */
  z.object({ type: z.literal("cancel"), promptUid: Uid }),
  /** URLs of the session's tunnel ports. */
  z.object({ type: z.literal("tunnels"), urls: z.array(TunnelUrl).max(10) }),
  /** Whether the workspace is being saved, at each change: meanwhile a runtime whose pod is being deleted goes on. */
  z.object({ type: z.literal("saving"), goesOn: z.boolean() }),
  /** Orders the runtime to dial {@link streamPath} for `use`; `address` is the replica that waits for the stream. */
  z.object({
    type: z.literal("openStream"),
    stream: z.string().regex(streamPattern),
    use: StreamUse,
    address: z.string().max(300).optional(),
  }),
  /** All numbered messages up to `seq` were processed and stored. */
  z.object({ type: z.literal("ack"), seq: Sequence }),
  /** The attempt has ended: end all processes and exit with 0. */
  z.object({ type: z.literal("shutdown"), reason: z.string().max(64) }),
]);
export type GatewayMessage = z.infer<typeof GatewayMessage>;
