import { once } from "node:events";
import { connect } from "node:tls";

import { afterAll, beforeAll, expect, it } from "vitest";

import { makeServerCertificate, type ServerCertificate } from "../../e2e/support/certificates.ts";
import {
  annotations,
  gatewayAuthoritiesName,
  gatewayCaSecretName,
  gatewayTlsSecretName,
} from "../../../src/api/v1alpha1/index.ts";
import { configMaps, type Pod, pods, secrets } from "../../../src/kube/core-resources.ts";
import { Informer } from "../../../src/kube/informer.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { systemRandom } from "../../../src/lib/random.ts";
import { until } from "../../support/kube.ts";
import { World } from "./world.ts";

let world: World;
let first: ServerCertificate;
let followed: Informer<Pod>;
/** What sandbox pods were given to trust the gateway by. */
const trusted = new Set<string | undefined>();

beforeAll(async () => {
  world = await World.make();
  world.environment.RUNWRIGHT_GATEWAY_CERTIFICATE = "cert-manager";
  first = await makeServerCertificate(["localhost"]);
  const metadata = { namespace: world.sessionsNamespace, name: gatewayTlsSecretName };
  await world.client.create(secrets, { metadata, type: "kubernetes.io/tls", data: dataOf(first) });
  await world.client.create(configMaps, { metadata: published() });
  followed = new Informer({ client: world.client, clock: systemClock, random: systemRandom }, pods, {
    namespace: world.namespace,
  });
  followed.onChange(({ object }) => void trusted.add(object.metadata.annotations?.[annotations.gatewayCa]));
  followed.start();
  world.startGateway();
  await world.startController();
  await until("the gateway is ready", () => world.isReady("gateway"));
});

afterAll(async () => {
  await followed.stop();
  await world.close();
});

/** The ConfigMap by which people trust the gateway, which the chart makes. */
function published(): { namespace: string; name: string } {
  return { namespace: world.release.namespace, name: gatewayAuthoritiesName("runwright") };
}

const isPublished = async (authorities: string): Promise<boolean> =>
  (await world.client.get(configMaps, published())).data?.["ca.crt"] === authorities;

/** As cert-manager writes it. */
function dataOf({ certificate, key, authority }: ServerCertificate): Record<string, string> {
  const base64 = (text: string): string => Buffer.from(text).toString("base64");
  return { "tls.crt": base64(certificate), "tls.key": base64(key), "ca.crt": base64(authority) };
}

/** Whether the sandbox port shows a certificate of this authority. */
async function isShown(ca: string): Promise<boolean> {
  const socket = connect({ port: world.sandboxPort, host: "localhost", servername: "localhost", ca });
  try {
    await once(socket, "secureConnect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

it("serves by a certificate that another program keeps, and makes none", async () => {
  await world.deliver("one");
  const run = await world.cleanedUp("one");
  expect(run.status?.conditions).toContainEqual(expect.objectContaining({ type: "Succeeded", reason: "Completed" }));
  await until("the sandbox pod was seen", () => trusted.size > 0);
  expect([...trusted]).toEqual([first.authority]);
  const { items } = await world.client.list(secrets, { namespace: world.sessionsNamespace });
  expect(items.map(({ metadata }) => metadata.name)).not.toContain(gatewayCaSecretName);
  const kept = items.find(({ metadata }) => metadata.name === gatewayTlsSecretName);
  expect(kept?.data).toEqual(dataOf(first));
});

it("takes a new one into use without a restart, and publishes its authority though the first try fails", async () => {
  await until("the first authority is published", () => isPublished(first.authority));
  const second = await makeServerCertificate(["localhost"]);
  expect([await isShown(first.authority), await isShown(second.authority)]).toEqual([true, false]);
  const key = { namespace: world.sessionsNamespace, name: gatewayTlsSecretName };
  const isPublication = ({ method, path }: { method: string; path: string }): boolean =>
    method === "PATCH" && path.includes(`/configmaps/${published().name}`);
  world.proxies.controller.inject({ kind: "answer", status: 503 }, { matches: isPublication });
  await world.client.patch(secrets, key, { data: dataOf(second) });
  await until("the new authority is published", () => isPublished(second.authority));
  expect(world.proxies.controller.seen.filter(isPublication).map(({ status }) => status)).toEqual([200, 503, 200]);
  await until("the new certificate is shown", () => isShown(second.authority));
  expect(await isShown(first.authority)).toBe(false);
});
