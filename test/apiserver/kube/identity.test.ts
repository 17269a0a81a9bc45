import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  configMaps,
  serviceAccounts,
  subjectAccessReviews,
  type TokenRequest,
  tokenReviews,
} from "../../../src/kube/core-resources.ts";
import { isForbidden } from "../../../src/kube/errors.ts";
import { testCluster } from "../../support/cluster.ts";
import { clientOf, newNamespace } from "../../support/kube.ts";
import { failureOf } from "./failure-of.ts";

describe("identity", () => {
  const connection = clientOf({ file: testCluster().kubeconfig });
  const { client } = connection;
  let namespace: string;
  let folder: string;

  beforeAll(async () => {
    namespace = await newNamespace(client, "identity");
    folder = await mkdtemp(join(tmpdir(), "runwright-identity-"));
    await client.create(serviceAccounts, { metadata: { namespace, name: "robot" } });
  });

  afterAll(async () => {
    await connection.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function aToken(): Promise<string> {
    const body: TokenRequest = {
      metadata: {},
      spec: { audiences: [], expirationSeconds: 600 },
    };
    const request = { subresource: "token", body };
    const issued = await client.createSubresource(serviceAccounts, { namespace, name: "robot" }, request);
    return issued.status?.token ?? "";
  }

  function kubeconfigWith(user: object): string {
    const { server, certificateAuthority } = testCluster();
    return JSON.stringify({
      clusters: [
        {
          name: "c",
          cluster: { server, "certificate-authority-data": Buffer.from(certificateAuthority).toString("base64") },
        },
      ],
      users: [{ name: "u", user }],
      contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
      "current-context": "x",
    });
  }

  it("of a token shows in a TokenReview, and its rights in a SubjectAccessReview", async () => {
    const reviewed = await client.create(tokenReviews, { metadata: {}, spec: { token: await aToken() } });
    const username = `system:serviceaccount:${namespace}:robot`;
    expect(reviewed.status).toMatchObject({ authenticated: true, user: { username } });
    const resourceAttributes = { namespace, verb: "list", resource: "secrets" };
    const access = await client.create(subjectAccessReviews, {
      metadata: {},
      spec: { user: username, resourceAttributes },
    });
    expect(access.status?.allowed).toBe(false);
  });

  it.each([
    {
      name: "a token file, newline and all",
      userOf: (file: string) => ({ "auth-provider": { name: "tokenFile", config: { tokenFile: file } } }),
      contentOf: (token: string) => `${token}\n`,
    },
    {
      name: "an exec plugin",
      userOf: (file: string) => ({
        exec: { apiVersion: "client.authentication.k8s.io/v1", command: "cat", args: [file] },
      }),
      contentOf: (token: string) => JSON.stringify({ kind: "ExecCredential", status: { token } }),
    },
  ])("comes from $name", async ({ name, userOf, contentOf }) => {
    const file = join(folder, name.replaceAll(/\W/g, "-"));
    await writeFile(file, contentOf(await aToken()));
    const robot = clientOf({ text: kubeconfigWith(userOf(file)) });
    const error = await failureOf(robot.client.list(configMaps, { namespace }));
    await robot.close();
    expect([isForbidden(error), error.message]).toEqual([
      true,
      expect.stringContaining(`serviceaccount:${namespace}:robot`),
    ]);
  });
});
