import type { Page, Request } from "playwright-core";

import { RuntimePeer } from "../support/runtime-peer.ts";
import { makeSandbox, type SandboxFixture } from "../support/runtime-world.ts";
import type { WebWorld } from "./world.ts";

/** A session whose runtime is connected. */
export interface Live {
  sandbox: SandboxFixture;
  peer: RuntimePeer;
  /** Of its page. */
  path: string;
  /** Has the agent write. */
  say: (text: string) => void;
}

export async function makeLive({ people }: WebWorld): Promise<Live> {
  const sandbox = await makeSandbox(people.world);
  const peer = await RuntimePeer.welcome(people.world, people.gateway, sandbox);
  let seq = 0;
  const say = (text: string): void =>
    peer.send({ type: "event", seq: (seq += 1), event: { kind: "output", source: "agent", stream: "stdout", text } });
  return { sandbox, peer, path: `/sessions/${people.world.tenant}.${sandbox.session}`, say };
}

/** Whether a request or address is of a stream of events. */
export function isOfEvents(at: Request | URL): boolean {
  return (at instanceof URL ? at : new URL(at.url())).pathname.endsWith("/events");
}

/** Shows or hides the tab. */
export async function setVisible(page: Page, isVisible: boolean): Promise<void> {
  await page.evaluate((visible) => {
    const state = visible ? "visible" : "hidden";
    Object.defineProperty(document, "visibilityState", { configurable: true, get: () => state });
    document.dispatchEvent(new Event("visibilitychange"));
  }, isVisible);
}
