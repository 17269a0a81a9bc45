import { waitingPath } from "../../api/runtime/pod-contract.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Random } from "../../lib/random.ts";
import { sleep } from "../../lib/sleep.ts";
import type { Assignment } from "../config.ts";
import { errorCode, type RuntimeLog } from "../log.ts";
import { type GatewayFiles, readAccess } from "./ask-gateway.ts";
import { GatewaySocket, type SocketEnd } from "./gateway-socket.ts";
import { reconnectDelayMs } from "./reconnect.ts";

interface Deps extends GatewayFiles {
  gatewayUrl: string;
  log: RuntimeLog;
  clock: Clock;
  random: Pick<Random, "fraction">;
  /** The pod is being deleted. */
  signal: AbortSignal;
}

/**
 * Waits at the gateway until this pod has become an attempt. Undefined when the gateway ends the pod, or the signal is
 * aborted, before that.
 */
export async function awaitAssignment(deps: Deps, podUid: string): Promise<Assignment | undefined> {
  const { log, clock, random, signal } = deps;
  const isStopped = (): boolean => signal.aborted;
  log.info("Waiting for a session");
  for (let failures = 0; !isStopped();) {
    const { assignment, end, wasOpen } = await waitOnce(deps, podUid);
    if (assignment) return assignment;
    if (end.over || isStopped()) return undefined;
    failures = wasOpen ? 0 : failures + 1;
    log.info("Disconnected", { status: end.status, code: end.code, failures });
    await sleep(clock, reconnectDelayMs(failures, random.fraction()), signal);
  }
  return undefined;
}

async function waitOnce(
  deps: Deps,
  podUid: string,
): Promise<{ assignment?: Assignment | undefined; end: SocketEnd; wasOpen: boolean }> {
  const { gatewayUrl, clock, log, signal } = deps;
  let assignment: Assignment | undefined;
  let wasOpen = false;
  try {
    const access = await readAccess(deps);
    if (signal.aborted) return { end: { over: false }, wasOpen };
    const socket = new GatewaySocket(
      { url: gatewayUrl + waitingPath(podUid), ...access, clock },
      {
        onOpen: () => {
          wasOpen = true;
        },
        refused: () => undefined,
        onMessage: (message) => {
          if (message.type !== "assigned") return;
          const { sessionUid, attempt } = message;
          assignment = { sessionUid, attempt };
          socket.close();
          assigned.resolve({ over: false });
        },
      },
    );
    const assigned = Promise.withResolvers<SocketEnd>();
    const stop = (): void => socket.close();
    signal.addEventListener("abort", stop, { once: true });
    const end = await Promise.race([socket.ended, assigned.promise]);
    signal.removeEventListener("abort", stop);
    return { assignment, end, wasOpen };
  } catch (error) {
    // The files may not be there yet.
    log.warn("Could not begin to connect", { code: errorCode(error) });
    return { end: { over: false }, wasOpen };
  }
}
