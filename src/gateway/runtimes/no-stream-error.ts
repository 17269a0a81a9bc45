import { streamLimits } from "../../api/runtime/limits.ts";
import { ApiError } from "../http/errors.ts";

const messages = {
  TooManyStreams: `a session may have at most ${streamLimits.perSession} connections through its tunnels at once, a replica ${streamLimits.perReplica}`,
  SandboxNotConnected: "the session's sandbox is not connected; try again",
  SandboxSilent: "the session's sandbox does not answer; try again",
  PortClosed: "nothing answers at this port of the sandbox",
} as const;

/** A stream to a sandbox could not be opened or failed. */
export class NoStreamError extends ApiError {
  constructor(code: keyof typeof messages) {
    super(code, messages[code]);
  }
}
