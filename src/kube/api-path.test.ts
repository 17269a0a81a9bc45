import { expect, it } from "vitest";
import { apiPath } from "./api-path.ts";
import { leases, pods, serviceAccounts } from "./core-resources.ts";
import { namespaces } from "../../test/support/core-resources.ts";

it.each([
  [apiPath(pods, { namespace: "demo", name: "a" }), "/api/v1/namespaces/demo/pods/a"],
  [apiPath(pods, {}), "/api/v1/pods"],
  [apiPath(leases, { namespace: "demo" }), "/apis/coordination.k8s.io/v1/namespaces/demo/leases"],
  [apiPath(namespaces, { name: "demo", namespace: "ignored" }), "/api/v1/namespaces/demo"],
  [
    apiPath(serviceAccounts, { namespace: "demo", name: "a", subresource: "token" }),
    "/api/v1/namespaces/demo/serviceaccounts/a/token",
  ],
  [
    apiPath(pods, {}, { labelSelector: "a=b,c", limit: 5, watch: true, continue: undefined }),
    "/api/v1/pods?labelSelector=a%3Db%2Cc&limit=5&watch=true",
  ],
  [apiPath(pods, { namespace: "../x", name: "a/b?c" }), "/api/v1/namespaces/..%2Fx/pods/a%2Fb%3Fc"],
])("gives %s", (path, want) => {
  expect(path).toBe(want);
});

it("refuses an object of a namespaced kind without its namespace, which would be another request", () => {
  expect(() => apiPath(pods, { name: "a" })).toThrow('pods "a" needs a namespace');
});

it.each(["", ".", ".."])("refuses the name %j, which is another path", (name) => {
  expect(() => apiPath(pods, { namespace: "demo", name })).toThrow("is no path");
});
