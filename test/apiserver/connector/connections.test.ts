import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { Integration } from "../../../src/api/v1alpha1/index.ts";
import { Connections } from "../../../src/connector/connections.ts";
import { ProviderError } from "../../../src/connector/provider-error.ts";
import type { KubeClient } from "../../../src/kube/client.ts";
import { Informer } from "../../../src/kube/informer.ts";
import type { WatchSink } from "../../../src/kube/watch-stream.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { systemRandom } from "../../../src/lib/random.ts";
import type { KubeObject, Resource } from "../../../src/lib/resource.ts";
import type { WatchOptions } from "../../../src/kube/watch-stream.ts";
import { testCluster } from "../../support/cluster.ts";
import { clientOf, newNamespace, until } from "../../support/kube.ts";

const refused = new ProviderError("credentials", "GitHub answered with 401");
const throttled = new ProviderError("throttled", "GitHub answered with 429");
const away = new ProviderError("unavailable", "GitHub did not answer");

let client: KubeClient;
let connections: Connections;
let integration: Integration;
let closers: (() => Promise<unknown>)[];
/** Reasons that the API server has had. */
let seen: (string | undefined)[];
/** While it holds, the cache hears nothing. */
let held: (() => void)[] | undefined;

function hold(): void {
  held = [];
}

function release(): void {
  const said = held ?? [];
  held = undefined;
  for (const say of said) say();
}

beforeEach(async () => {
  const connection = clientOf({ file: testCluster().kubeconfig });
  client = connection.client;
  const namespace = await newNamespace(client, "tenant");
  const spec = {
    type: "GitHub",
    serviceAccountName: "runner",
    signingSecretRef: { name: "signing" },
    credentialsSecretRef: { name: "app" },
    github: { appID: 7, slug: "helper", installationID: 42, repositories: [{ name: "api" }] },
  };
  integration = await client.create(Integration, { metadata: { namespace, name: "github" }, spec } as Integration);
  const reads = {
    list: client.list.bind(client),
    watch: <T extends KubeObject>(resource: Resource<T>, options: WatchOptions, sink: WatchSink<T>) =>
      client.watch(resource, options, (event) => (held ? held.push(() => sink(event)) : sink(event))),
  };
  seen = [];
  const deps = { clock: systemClock, random: systemRandom };
  const integrations = new Informer({ ...deps, client: reads }, Integration, { namespace });
  connections = new Connections({ ...deps, client, informers: { integrations } });
  integrations.onChange(({ object }) => seen.push(object.status?.connection?.reason));
  integrations.start();
  await connections.controller.start();
  closers = [() => connection.close(), () => integrations.stop(), () => connections.controller.stop(0)];
});

afterEach(async () => {
  release();
  for (const close of closers.reverse()) await close();
});

async function noted(): Promise<string | undefined> {
  const { namespace, name = "" } = integration.metadata;
  return (await client.get(Integration, { namespace, name })).status?.connection?.reason;
}

async function isNoted(reason: string): Promise<void> {
  await until(`${reason} is noted`, async () => (await noted()) === reason);
}

it("notes what comes back after something else, also before the cache has heard of either", async () => {
  connections.called(integration, { error: refused });
  await isNoted("CredentialsRefused");
  hold();
  connections.called(integration, {});
  await isNoted("Connected");
  connections.called(integration, { error: refused });
  await isNoted("CredentialsRefused");
});

describe("a call that needs less than others", () => {
  it("does not show that refused credentials are good; another one does", async () => {
    connections.called(integration, { error: refused });
    await isNoted("CredentialsRefused");
    connections.called(integration, { needsLess: true });
    connections.called(integration, { needsLess: true, error: new ProviderError("refused", "No such file") });
    // Changes are written in order, so that a Connected of before would be seen.
    connections.called(integration, { error: throttled });
    await isNoted("ProviderThrottled");
    expect(seen).not.toContain("Connected");
    connections.called(integration, {});
    await isNoted("Connected");
  });

  it("does not show that an application is authorized which has to be authorized again", async () => {
    const needsAuthorization = true;
    connections.called(integration, { error: new ProviderError("credentials", "No scope", { needsAuthorization }) });
    await isNoted("AuthorizationNeeded");
    connections.called(integration, { needsLess: true });
    connections.called(integration, { error: throttled });
    await isNoted("ProviderThrottled");
    expect(seen).not.toContain("Connected");
  });

  it("shows that a provider which was away answers", async () => {
    connections.called(integration, { error: away });
    connections.called(integration, { error: away });
    await isNoted("ProviderUnavailable");
    connections.called(integration, { needsLess: true });
    await isNoted("Connected");
  });
});
