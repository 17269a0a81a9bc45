import { EventEmitter } from "node:events";

import { Registry } from "prom-client";
import { expect, it } from "vitest";
import type { WebSocket } from "ws";

import { closeCodes, protocolLimits } from "../../api/runtime/limits.ts";
import { FakeClock } from "../../lib/fake-clock.ts";
import { createLogger } from "../../telemetry/logger.ts";
import { defineGatewayMetrics } from "../metrics/gateway-metrics.ts";
import { WaitingRoom } from "./waiting-room.ts";

/** The gateway's end of a WebSocket. */
class FakeSocket extends EventEmitter {
  readonly OPEN = 1;
  readonly readyState = 1;
  readonly closes: number[] = [];
  pause = (): undefined => undefined;
  pong = (): undefined => undefined;
  close = (code: number): void => {
    this.closes.push(code);
    this.emit("close");
  };
}

it("counts the frames of a pod that waits over all of its connections, and no other pod's", () => {
  const room = new WaitingRoom({
    clock: new FakeClock(),
    logger: createLogger({ process: "gateway", level: "silent" }),
    metrics: defineGatewayMetrics(new Registry(), () => 0),
    sessionOfPod: () => undefined,
    changed: () => undefined,
  });
  const connect = (pod: string): FakeSocket => {
    const socket = new FakeSocket();
    room.welcome(socket as unknown as WebSocket, pod);
    return socket;
  };
  const first = connect("one");
  for (let sent = 0; sent < protocolLimits.frames.burst; sent += 1) first.emit("ping", Buffer.alloc(0));
  expect(first.closes).toEqual([]);
  const [again, other] = [connect("one"), connect("two")];
  for (const socket of [again, other]) socket.emit("ping", Buffer.alloc(0));
  expect([again.closes, other.closes]).toEqual([[closeCodes.flooding], []]);
});
