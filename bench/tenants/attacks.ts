import { randomBytes } from "node:crypto";
import { request as httpsRequest } from "node:https";

import { sandboxPath } from "../../src/api/runtime/pod-contract.ts";
import { tokenReviews } from "../../src/kube/core-resources.ts";
import { Prompt } from "../../src/api/v1alpha1/index.ts";
import { aPrompt } from "../../test/support/builders.ts";
import { addressOf } from "./addresses.ts";
import type { Attack } from "./attack.ts";
import type { AttackName } from "./attack-names.ts";
import { cheapAttacks } from "./cheap-attacks.ts";
import { evenly, inLanes } from "./lanes.ts";
import { rawObject } from "./raw.ts";
import { startSession, tunnelPort } from "./tenant.ts";

/** Sessions that are created in one round, each with its prompt. */
const mostSessions = 250;
const largestText = "ё".repeat(64_000);
const largestAnnotations = { "example.com/note": "x".repeat(250_000) };
const output = "x".repeat(8_192);
/** Frames a second that a gateway takes of one connection, less a heartbeat. */
const framesPerSecond = 45;
const pngSignature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const image = Buffer.concat([pngSignature, randomBytes(10 * 2 ** 20 - pngSignature.length)]);

export const attacks: Record<AttackName, Attack> = {
  ...cheapAttacks,
  sandboxes: {
    async run(scene, seconds) {
      const { client, options } = scene;
      const start = (): Promise<unknown> =>
        startSession(client, { namespace: options.namespace, name: scene.nextName() }, 86_400);
      const sessions = await evenly(mostSessions, { seconds: seconds / 2, most: 16 }, start);
      // What was begun goes on for the other half.
      await new Promise((resolve) => setTimeout(resolve, 500 * seconds));
      return 2 * sessions;
    },
  },
  connections: {
    run: ({ options }, seconds) =>
      inLanes(32, seconds, (index) =>
        ask(`${httpsOf(options.release.sandboxUrl)}${sandboxPath(`nobody-${index}`, 1)}`, {
          ca: options.release.ca,
          localAddress: addressOf(index, 3),
          token: `junk-${index}`,
          isUpgrade: true,
        }),
      ),
  },
  tokenReviews: {
    prepare: (scene) => scene.connect(4),
    run(scene, seconds) {
      const { release, namespace } = scene.options;
      const paths = scene.runtimes.map(({ identity: { sessionUid, attempt } }) => sandboxPath(sessionUid, attempt));
      return inLanes(128, seconds, (index) => {
        const asked = { ca: release.ca, localAddress: addressOf(index, 4), token: `junk-${index}` };
        return index % 2 === 0
          ? ask(`${httpsOf(release.sandboxUrl)}${paths[index % paths.length] ?? ""}`, { ...asked, isUpgrade: true })
          : ask(`${release.peopleUrl}/sessions/${namespace}.hostile-1`, asked);
      });
    },
    raw: ({ client }) => client.create(tokenReviews, { metadata: {}, spec: { token: "junk" } }),
  },
  blobBytes: {
    async prepare(scene) {
      await scene.connect(16, 1);
    },
    async run(scene, seconds) {
      const before = scene.workspacesBegun;
      scene.sendsWorkspaces = true;
      await new Promise((resolve) => setTimeout(resolve, 1_000 * seconds));
      scene.sendsWorkspaces = false;
      return scene.workspacesBegun - before;
    },
  },
  objects: {
    run: (scene, seconds) =>
      inLanes(8, seconds, () => {
        const metadata = {
          namespace: scene.options.namespace,
          name: scene.nextName(),
          annotations: largestAnnotations,
        };
        return scene.client.create(
          Prompt,
          aPrompt({ metadata, spec: { sessionRef: { name: "absent" }, text: largestText } }),
        );
      }),
    raw: (scene) => rawObject(scene, largestText + largestAnnotations["example.com/note"]),
  },
  events: {
    prepare: (scene) => scene.connect(16),
    run({ runtimes }, seconds) {
      const count = runtimes.length * framesPerSecond * seconds;
      return evenly(count, { seconds, most: count }, (index) => {
        // What is stored later is not waited for.
        void runtimes[index % runtimes.length]?.output(output);
        return Promise.resolve();
      });
    },
  },
  images: {
    prepare: (scene) => scene.connect(4),
    run({ options, token }, seconds) {
      const { release, namespace } = options;
      return inLanes(8, seconds, (index) =>
        ask(`${release.peopleUrl}/sessions/${namespace}.hostile-${1 + (index % 4)}/images`, {
          ca: release.ca,
          token,
          body: image,
        }),
      );
    },
  },
  tunnels: {
    prepare: (scene) => scene.connect(8),
    run({ options, token }, seconds) {
      const { release, namespace } = options;
      return inLanes(64, seconds, (index) =>
        ask(`${release.peopleUrl}/sessions/${namespace}.hostile-${1 + (index % 8)}/tunnels/${tunnelPort}/`, {
          ca: release.ca,
          token,
        }),
      );
    },
  },
};

interface Asked {
  ca: string;
  token: string;
  localAddress?: string;
  isUpgrade?: boolean;
  body?: Buffer;
}

/** One request on a connection of its own; resolves when it was answered, and rejects when it was not. */
function ask(url: string, { ca, token, localAddress, isUpgrade = false, body }: Asked): Promise<void> {
  const upgrade = { connection: "Upgrade", upgrade: "websocket", "sec-websocket-version": "13" };
  const headers = {
    authorization: `Bearer ${token}`,
    ...(isUpgrade ? { ...upgrade, "sec-websocket-key": randomBytes(16).toString("base64") } : {}),
    ...(body ? { "content-type": "application/octet-stream" } : {}),
  };
  return new Promise((resolve, reject) => {
    const request = httpsRequest(url, { ca, headers, localAddress, agent: false, method: body ? "POST" : "GET" });
    request.on("response", (response) => {
      response.resume();
      response.on("end", () => resolve());
      response.on("error", reject);
    });
    request.on("error", reject);
    request.end(body);
  });
}

function httpsOf(url: string): string {
  return url.replace(/^wss:/, "https:");
}
