import { expect, it } from "vitest";
import type { ChildAnswer } from "../../api/runtime/children.ts";
import { MintedCredentials, temporaryProblem } from "./minted-credentials.ts";

function aMint(answers: ChildAnswer[]) {
  const asked: string[] = [];
  const learned: string[] = [];
  const world = { nowMs: 1_000_000, asked, learned };
  const minted = new MintedCredentials({
    clock: { monotonicMs: () => world.nowMs },
    ask: ({ repository }) => {
      asked.push(repository);
      return Promise.resolve(answers.shift() ?? token("last", 0));
    },
    onPassword: (password) => void learned.push(password),
  });
  return { world, minted };
}

const token = (password: string, usableSeconds: number): ChildAnswer => ({
  status: 200,
  body: { username: "x-access-token", password, usableSeconds },
});

it("keeps a credential for as long as it is usable, and asks for another then", async () => {
  const { world, minted } = aMint([token("first", 1_800), token("second", 1_800)]);
  const passwordNow = async (): Promise<string | undefined> => (await minted.get("shop")).password;
  expect(await passwordNow()).toBe("first");
  world.nowMs += 1_799_999;
  expect(await passwordNow()).toBe("first");
  world.nowMs += 1;
  expect(await passwordNow()).toBe("second");
  expect(world.learned).toEqual(["first", "second"]);
});

it("has one for each repository, asked for once however many want it", async () => {
  const { world, minted } = aMint([token("one", 60), token("two", 60)]);
  const found = await Promise.all(["shop", "shop", "tools", "shop"].map((name) => minted.get(name)));
  expect(found.map(({ password }) => password)).toEqual(["one", "one", "two", "one"]);
  expect(world.asked).toEqual(["shop", "tools"]);
});

it.each([
  { status: 422, body: { error: "the App is not installed" }, want: "the App is not installed" },
  { status: 404, body: { error: "no such repository" }, want: "no such repository" },
  { status: 502, body: { error: "it answered 502" }, want: `${temporaryProblem}: it answered 502` },
  { status: 429, body: { error: "too many" }, want: `${temporaryProblem}: too many` },
  { status: 200, body: { password: 1 }, want: `${temporaryProblem}: the gateway answered 200` },
])("tells the problem of a $status, and asks again the next time", async ({ want, ...answer }) => {
  const { world, minted } = aMint([answer, token("later", 60)]);
  expect(await minted.get("shop")).toEqual({ problem: want });
  expect(await minted.get("shop")).toEqual({ username: "x-access-token", password: "later" });
  expect(world.asked).toHaveLength(2);
});
