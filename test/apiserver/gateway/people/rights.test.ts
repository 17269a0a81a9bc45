import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { Rule } from "../../../support/authorized.ts";
import { peopleAudience, sandboxAudience } from "../../../../src/api/runtime/pod-contract.ts";
import { testApi } from "../../../support/cluster.ts";
import {
  impersonate,
  type MadeAutomation,
  openPeopleWorld,
  ours,
  type PeopleWorld,
  type Sent,
} from "../../../support/people-world.ts";
import { requestToken } from "../../../support/runtime-world.ts";

let people: PeopleWorld;
/** A token of a person without any right. */
let stranger: string;

beforeAll(async () => {
  people = await openPeopleWorld();
  stranger = await people.caller([]);
});
afterAll(() => people.close());

interface Route {
  name: string;
  method: "GET" | "POST";
  path: (automation: { id: string }) => string;
  /** The least that is needed. */
  needs: readonly Rule[];
  want: number;
}

const get = ours("automations", "get");
const routes: readonly Route[] = [
  {
    name: "list",
    method: "GET",
    path: () => `/automations?namespace=${people.world.tenant}`,
    needs: [ours("automations", "list")],
    want: 200,
  },
  { name: "get", method: "GET", path: ({ id }) => `/automations/${id}`, needs: [get], want: 200 },
  {
    name: "invocations",
    method: "GET",
    path: ({ id }) => `/automations/${id}/invocations`,
    needs: [get, ours("runs", "list")],
    want: 200,
  },
  {
    name: "deliveries",
    method: "GET",
    path: ({ id }) => `/automations/${id}/deliveries`,
    needs: [get, ours("deliverylogs", "get")],
    want: 200,
  },
  { name: "example", method: "GET", path: ({ id }) => `/automations/${id}/example`, needs: [get], want: 200 },
  { name: "rights", method: "GET", path: ({ id }) => `/automations/${id}/rights`, needs: [get], want: 200 },
  {
    name: "pause",
    method: "POST",
    path: ({ id }) => `/automations/${id}/pause`,
    needs: [ours("automations", "patch"), impersonate],
    want: 200,
  },
  {
    name: "resume",
    method: "POST",
    path: ({ id }) => `/automations/${id}/resume`,
    needs: [ours("automations", "patch")],
    want: 200,
  },
  {
    name: "regenerate-key",
    method: "POST",
    path: ({ id }) => `/automations/${id}/regenerate-key`,
    needs: [ours("automations/key", "create")],
    want: 200,
  },
];
const trigger: Route = {
  name: "trigger",
  method: "POST",
  path: ({ id }) => `/automations/${id}/trigger`,
  needs: [get, ours("runs", "create")],
  want: 202,
};
const byId = [...routes.filter(({ name }) => name !== "list"), trigger];

const ask = async (route: Route, automation: { id: string }, sent: Sent = {}): Promise<[number, unknown]> => {
  const { status, body } = await people.send(route.path(automation), { method: route.method, ...sent });
  return [status, body.code];
};

describe.each([...routes, trigger])("$name", (route) => {
  it("needs a token that is meant for it", async () => {
    const { world } = people;
    const automation = await people.makeAutomation();
    const account = `/api/v1/namespaces/${world.tenant}/serviceaccounts/sandbox/token`;
    const both = { spec: { audiences: [peopleAudience(world.release), sandboxAudience(world.release)] } };
    const { body } = await testApi().send("POST", account, both);
    const refused = {
      none: "",
      nonsense: "nonsense",
      sandbox: await requestToken(world, undefined, sandboxAudience(world.release)),
      both: (body as { status: { token: string } }).status.token,
      otherRelease: await requestToken(world, undefined, `runwright-api.${world.release.namespace}.other`),
      altered: altered(people.token),
    };
    for (const [name, token] of Object.entries(refused)) {
      expect(await ask(route, automation, { token }), name).toEqual([401, "Unauthorized"]);
    }
  });

  it("needs every one of its rights, and no other, in that namespace alone", async () => {
    const automation = await people.makeAutomation();
    for (const missing of route.needs) {
      const token = await people.caller(route.needs.filter((rule) => rule !== missing));
      expect(await ask(route, automation, { token })).toEqual([403, "Forbidden"]);
    }
    const elsewhere = { id: automation.id.replace(people.world.tenant, "default") };
    const token = await people.caller(route.needs);
    if (route.name !== "list") expect(await ask(route, elsewhere, { token })).toEqual([403, "Forbidden"]);
    if (route !== trigger) expect(await ask(route, automation, { token })).toEqual([route.want, undefined]);
  });

  it("says which methods there are", async () => {
    const allowed = route.method === "GET" ? "GET, HEAD" : "POST";
    for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const) {
      if (method === route.method) continue;
      const answer = await people.send(route.path({ id: "a.b" }), { method });
      expect([answer.status, answer.headers.allow, answer.body.code]).toEqual([405, allowed, "MethodNotAllowed"]);
    }
  });
});

describe.each(byId)("$name of what is not there", (route) => {
  it("tells only those who may know", async () => {
    const { tenant } = people.world;
    const there: MadeAutomation = await people.makeAutomation();
    const nowhere = { id: `${tenant}.nowhere` };
    expect(await ask(route, nowhere)).toEqual([404, "NotFound"]);
    expect(await ask(route, nowhere, { token: stranger })).toEqual([403, "Forbidden"]);
    expect(await ask(route, there, { token: stranger })).toEqual([403, "Forbidden"]);
  });
});

/** The same token with another end of its time, so that its signature no longer fits. */
function altered(token: string): string {
  const [header = "", payload = "", signature = ""] = token.split(".");
  const claims = JSON.parse(Buffer.from(payload, "base64url").toString()) as object;
  const late = Buffer.from(JSON.stringify({ ...claims, exp: 1 })).toString("base64url");
  return [header, late, signature].join(".");
}
