import { afterEach, beforeAll, describe, expect, it } from "vitest";

import type { ApiAnswer } from "../../support/api-client.ts";
import { testApi } from "../../support/cluster.ts";
import { labelsOf } from "../../support/policies-of-any-release.ts";
import { grant, processes, refusal, sendAs } from "./users.ts";

const { controller, gateway } = processes;
/** May do with ConfigMaps of the release's namespace what an editor may, as Helm does in a person's name. */
const editor = "ada";
const namespace = "runwright-system";
const collection = `/api/v1/namespaces/${namespace}/configmaps`;
const name = "runwright-gateway-ca";
const authorities = { "ca.crt": "an authority" };

beforeAll(async () => {
  await testApi().apply(`/api/v1/namespaces/${namespace}`, {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: namespace, labels: labelsOf("release") },
  });
  const rules = [{ apiGroups: [""], resources: ["configmaps"], verbs: ["create", "patch", "delete"] }];
  await Promise.all([editor, controller, gateway].map((user) => grant(namespace, user, rules)));
});
afterEach(() => testApi().send("DELETE", `${collection}/${name}`));

const make = (user: string, content: object, as = name): Promise<ApiAnswer> =>
  sendAs(user, "POST", collection, { metadata: { name: as }, ...content });
const change = (user: string, content: object): Promise<ApiAnswer> =>
  sendAs(user, "PATCH", `${collection}/${name}`, content);
const onlyTheController = refusal(`data: only ${controller} may write the gateway's authorities`);

describe("the authorities by which people trust the gateway", () => {
  it.each([editor, gateway])("are neither put there nor replaced nor removed by %s", async (user) => {
    expect(await make(user, { data: authorities })).toMatchObject(onlyTheController);
    expect(await make(user, { binaryData: { "ca.crt": "AAAA" } })).toMatchObject(onlyTheController);
    await make(controller, { data: authorities });
    expect(await change(user, { data: { "ca.crt": "another" } })).toMatchObject(onlyTheController);
    expect(await change(user, { data: { "other.crt": "another" } })).toMatchObject(onlyTheController);
    expect(await change(user, { binaryData: { "other.crt": "AAAA" } })).toMatchObject(onlyTheController);
    expect(await change(user, { data: null })).toMatchObject(onlyTheController);
  });

  it("are the controller's to write in the ConfigMap that Helm made, which Helm may label again", async () => {
    expect(await make(editor, {})).toMatchObject({ status: 201 });
    expect(await change(controller, { data: authorities })).toMatchObject({ status: 200 });
    expect(await change(editor, { metadata: { labels: { version: "2" } } })).toMatchObject({
      status: 200,
      body: { data: authorities },
    });
  });

  it("are not frozen by others", async () => {
    await make(controller, { data: authorities });
    expect(await change(editor, { immutable: true })).toMatchObject(refusal("immutable: must not be true"));
  });
});

it("leaves other ConfigMaps of the namespace to all, and that name in other namespaces", async () => {
  expect(await make(editor, { data: authorities }, "other")).toMatchObject({ status: 201 });
  await grant("default", editor, [{ apiGroups: [""], resources: ["configmaps"], verbs: ["create"] }]);
  const elsewhere = "/api/v1/namespaces/default/configmaps?dryRun=All";
  expect(await sendAs(editor, "POST", elsewhere, { metadata: { name }, data: authorities })).toMatchObject({
    status: 201,
  });
});
