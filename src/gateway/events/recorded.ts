import type { NumberedMessage } from "../../api/runtime/messages.ts";
import type { SessionEvent } from "../../api/runtime/session-event.ts";

/** A numbered message as an event of its session. */
export function recorded(message: NumberedMessage): SessionEvent["event"] {
  switch (message.type) {
    case "event":
      return message.event;
    case "ready":
      return { kind: "ready" };
    case "bootFailed":
      return { kind: "bootFailed", ...message.failure };
    case "promptFinished":
      return { kind: "promptFinished", ...message.outcome };
  }
}
