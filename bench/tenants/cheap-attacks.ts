import { addressOf } from "./addresses.ts";
import type { Attack } from "./attack.ts";
import { inLanes } from "./lanes.ts";
import { breakOffHandshake, postChunks } from "./sockets.ts";

/** Attacks that cost who makes them next to nothing: what they count is pieces, handshakes and pings, not bytes. */
export type CheapAttackName = "chunks" | "bodies" | "contentTypes" | "handshakes" | "pings";

const json = { "content-type": "application/json" };
const chunks = 65_000;
const longContentType = `application/json; ${"a=b; ".repeat(3_000)}`;
const pingsAtOnce = 500;
const beatMs = 100;

export const cheapAttacks: Record<CheapAttackName, Attack> = {
  // A stranger, who has no key.
  chunks: {
    run: ({ options: { release, namespace } }, seconds) =>
      inLanes(16, seconds, (index) => {
        const url = `${release.ingressUrl}/webhooks/automation/${namespace}.none`;
        return postChunks({ url, localAddress: addressOf(index, 5), headers: json, chunks });
      }),
  },
  // A pod's token without any right.
  bodies: {
    run: ({ options: { release, namespace }, token }, seconds) =>
      inLanes(16, seconds, (index) => {
        const url = `${release.peopleUrl}/sessions/${namespace}.none/prompts`;
        const headers = { ...json, authorization: `Bearer ${token}` };
        return postChunks({ url, ca: release.ca, localAddress: addressOf(index, 6), headers, chunks });
      }),
  },
  contentTypes: {
    run: ({ options: { release, namespace } }, seconds) =>
      inLanes(16, seconds, (index) => {
        const url = `${release.ingressUrl}/webhooks/automation/${namespace}.none`;
        const headers = { "content-type": longContentType };
        return postChunks({ url, localAddress: addressOf(index, 7), headers, chunks: 1 });
      }),
  },
  handshakes: {
    run: ({ options: { release } }, seconds) =>
      inLanes(32, seconds, (index) =>
        breakOffHandshake(release.sandboxUrl.replace(/^wss:/, "https:"), addressOf(index, 8)),
      ),
  },
  pings: {
    prepare: (scene) => scene.connect(8),
    async run(scene, seconds) {
      const endMs = performance.now() + 1_000 * seconds;
      let count = 0;
      while (performance.now() < endMs) {
        for (const runtime of scene.runtimes) {
          for (let sent = 0; sent < pingsAtOnce; sent += 1) runtime.ping();
          count += pingsAtOnce;
        }
        await new Promise((resolve) => setTimeout(resolve, beatMs));
      }
      return count;
    },
  },
};
