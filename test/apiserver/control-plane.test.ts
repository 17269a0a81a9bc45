import { describe, expect, it } from "vitest";

import { chosenRelease } from "../../hack/cluster/cluster.ts";
import { makeNamespace, testApi, testCluster } from "../support/cluster.ts";

describe("the test control plane", () => {
  it("serves the API with RBAC on, so that a user without a role is refused", async () => {
    const review = {
      apiVersion: "authorization.k8s.io/v1",
      kind: "SubjectAccessReview",
      spec: { user: "nobody", resourceAttributes: { verb: "get", resource: "secrets", namespace: "default" } },
    };
    const answer = await testApi().send("POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", review);
    expect(answer).toMatchObject({ status: 201, body: { status: { allowed: false } } });
  });

  it("issues ServiceAccount tokens that a TokenReview accepts for their audience alone", async () => {
    const namespace = await makeNamespace();
    const accounts = `/api/v1/namespaces/${namespace}/serviceaccounts`;
    await testApi().send("POST", accounts, { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "someone" } });
    const request = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: { audiences: ["ours"] } };
    const issued = await testApi().send("POST", `${accounts}/someone/token`, request);
    const { token } = (issued.body as { status: { token: string } }).status;

    await expect(isAuthenticated(token, "ours")).resolves.toBe(true);
    await expect(isAuthenticated(token, "theirs")).resolves.toBe(false);
  });

  it("is of the release that was asked for", async () => {
    const minor = chosenRelease()?.version.replace(/\.\d+$/, "") ?? "1.";
    const { body } = await testApi().send("GET", "/version");
    expect((body as { gitVersion: string }).gitVersion.startsWith(`v${minor}`)).toBe(true);
  });

  it("gives each caller a namespace of its own", async () => {
    await expect(makeNamespace()).resolves.not.toBe(await makeNamespace());
    expect(testCluster().server).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
  });
});

async function isAuthenticated(token: string, audience: string): Promise<boolean> {
  const { body } = await testApi().send("POST", "/apis/authentication.k8s.io/v1/tokenreviews", {
    apiVersion: "authentication.k8s.io/v1",
    kind: "TokenReview",
    spec: { token, audiences: [audience] },
  });
  return (body as { status: { authenticated?: boolean } }).status.authenticated ?? false;
}
