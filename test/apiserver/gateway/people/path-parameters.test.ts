import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { openApiDocument } from "../../../../src/gateway/api/openapi.ts";
import { openPeopleWorld, type PeopleWorld } from "../../../support/people-world.ts";

// Every route of the REST API with an object in its path, as its OpenAPI document lists them.

const { paths } = openApiDocument() as { paths: Record<string, Record<string, unknown>> };
const routes = Object.entries(paths)
  .flatMap(([path, methods]) => Object.keys(methods).map((method) => ({ path, method: method.toUpperCase() })))
  .filter(({ path }) => path.includes("{id}")) as { path: string; method: "GET" | "POST" }[];
const ofPrompts = routes.filter(({ path }) => path.includes("{promptId}"));

let people: PeopleWorld;
beforeAll(async () => {
  people = await openPeopleWorld();
});
afterAll(() => people.close());

async function ask({ path, method }: (typeof routes)[number], id: string, prompt = "a"): Promise<[number, unknown]> {
  const { status, body } = await people.send(path.replace("{id}", id).replace("{promptId}", prompt), { method });
  return [status, body.code];
}

describe.each(routes)("$method $path", (route) => {
  it.each([
    "nodot",
    "a.b.c",
    "UPPER.case",
    `${"n".repeat(64)}.a`,
    `a.${"n".repeat(64)}`,
    "a.-b",
    ".a",
    "a.",
    "%00.a",
    "a%2Fb.c",
    "a.b%0A",
    "..%2F..",
  ])("is 404 for the id %s", async (id) => {
    expect(await ask(route, id)).toEqual([404, "NotFound"]);
  });

  it("is 400 for an id that cannot be decoded", async () => {
    expect(await ask(route, "%ff")).toEqual([400, "InvalidRequest"]);
  });
});

describe.each(ofPrompts)("$method $path", (route) => {
  it.each(["a.b", "UPPER", "n".repeat(64), "-a", "%00", "a%2Fb", "a%0A"])(
    "is 404 for the prompt %s",
    async (prompt) => {
      expect(await ask(route, `${people.world.tenant}.a`, prompt)).toEqual([404, "NotFound"]);
    },
  );

  it("is 400 for a prompt that cannot be decoded", async () => {
    expect(await ask(route, `${people.world.tenant}.a`, "%ff")).toEqual([400, "InvalidRequest"]);
  });
});
