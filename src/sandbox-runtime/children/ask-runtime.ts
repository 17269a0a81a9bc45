import { connect } from "node:net";
import { join } from "node:path";

import { ChildAnswer, type ChildRequest } from "../../api/runtime/children.ts";
import { LineSocket } from "../local/line-socket.ts";
import { localLimits, localSocketName } from "../local/messages.ts";

/** Sends a request about child sessions to the runtime over the shared socket. */
export function askRuntime(socketDirectory: string, request: ChildRequest): Promise<ChildAnswer> {
  return new Promise((resolve) => {
    const socket = connect(join(socketDirectory, localSocketName));
    const lines = new LineSocket(socket, localLimits.toAgentBytes, (document) => resolve(ChildAnswer.parse(document)));
    lines.onClose(() =>
      resolve({ status: 503, body: { error: "the sandbox's runtime is not there", code: "Unavailable" } }),
    );
    lines.send({ type: "child", request });
  });
}
