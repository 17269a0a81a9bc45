import type { NumberedMessage } from "../../api/runtime/messages.ts";
import type { SessionEvent } from "../../api/runtime/session-event.ts";

/** The event of a numbered message. */
export function recorded(message: NumberedMessage): SessionEvent["event"] {
  switch (message.type) {
    case "event":
      return message.event;
    case "ready":
      return { kind: "ready" };
    case "built":
      return { kind: "built", ...message.note };
    case "bootFailed":
      return { kind: "bootFailed", ...message.failure };
    case "promptFinished":
      return { kind: "promptFinished", ...message.outcome };
  }
}
