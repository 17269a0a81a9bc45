/** Limits of the protocol between runtime and gateway; both ends enforce them. */
export const protocolLimits = {
  /** Bytes of one frame from a runtime; more closes the connection. */
  runtimeFrameBytes: 65_536,
  /** Bytes of one frame from the gateway: a bundle with 128 KiB of secrets and ten CA bundles, as JSON. */
  gatewayFrameBytes: 4_194_304,
  /** UTF-16 units of a prompt that this version's runtimes take. */
  promptCharacters: 200_000,
  /** Of a prompt for runtimes that do not say how much they take, which are of earlier versions. */
  earlierPromptCharacters: 128_000,
  /** Code points of one piece of hook or agent output. */
  outputCharacters: 8_192,
  /** Code points of a result's summary. */
  summaryCharacters: 4_096,
  /** Code points of title and text of a pull request that an agent asks for. */
  pullRequestTitleCharacters: 200,
  pullRequestBodyCharacters: 4_096,
  /** UTF-16 units of the name of a file that an agent attaches. */
  fileNameCharacters: 1_024,
  /** Code points of a message that explains a failure. */
  messageCharacters: 1_024,
  /** US dollars that a sandbox may be reported to have cost; more is not credible. */
  costUsd: 1_000_000,
  /** Numbered messages that a runtime keeps until they are acknowledged; further output is dropped and counted. */
  unacknowledged: 256,
  /** Frames that a gateway accepts of one attempt, over all of its connections, pings and answers to pings among them. */
  frames: { burst: 512, perSecond: 50 },
  /** Events that a runtime sends; repeats after a reconnect are not counted. */
  events: { burst: 192, perSecond: 40 },
} as const;

/** Streams between people and ports of sandboxes. */
export const streamLimits = {
  /** Concurrent streams of one session. */
  perSession: 64,
  /** Concurrent streams of one gateway replica. */
  perReplica: 1_024,
  /** How long a runtime may take to dial one, in milliseconds. */
  dialMs: 10_000,
  /** Frames that the streams of one namespace bring a replica; one of `freeBytes` and more counts nothing, a smaller one its part. */
  frames: { burst: 32_768, perSecond: 8_000 },
  freeBytes: 16_384,
  /** WebSocket close code of the runtime when nothing listens at the port. */
  portClosed: 4020,
} as const;

/** Milliseconds. */
export const protocolTimes = {
  /** Between two heartbeats. */
  heartbeatMs: 30_000,
  /** Without a heartbeat for longer than this, the gateway notes that the runtime is silent (ADR 0030). */
  silenceMs: 35_000,
  /** Between two pings of the gateway. */
  pingMs: 20_000,
  /** How long a peer may take to answer a ping. */
  pongMs: 10_000,
  /** How long a peer that broke a rule, such as by sending too much, may take to go. */
  refusedMs: 1_000,
  /** Time for the runtime's hello after the connection was opened. */
  helloMs: 10_000,
  /** Longest wait before a runtime reconnects. */
  reconnectMs: 10_000,
} as const;

/** WebSocket close codes of the gateway beyond the standard ones. */
export const closeCodes = {
  /** Standard: the replica stops; reconnect to another one. */
  goingAway: 1001,
  /** Standard: the gateway cannot serve this attempt now; try again. */
  tryAgain: 1013,
  /** A newer connection of the same attempt has replaced this one. */
  replaced: 4000,
  /** A frame that is not a message of the protocol. */
  malformed: 4001,
  /** More frames than the protocol allows. */
  flooding: 4002,
  /** The hello or the answer to a ping did not come in time. */
  silent: 4003,
  /** The attempt has ended: exit and do not reconnect. */
  over: 4010,
} as const;
